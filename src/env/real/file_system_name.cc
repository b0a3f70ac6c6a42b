#include "env/real/file_system_name.h"

#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "env/file_error.h"

namespace teamster::env::real {
namespace {

struct Known {
  std::uint32_t magic;
  std::string_view name;
};

// From statfs(2) and linux/magic.h. ext2, ext3 and ext4 share theirs.
constexpr std::array kKnown{
    Known{0xEF53, "ext4"},         Known{0x58465342, "xfs"},      Known{0x9123683E, "btrfs"},
    Known{0x01021994, "tmpfs"},    Known{0x794C7630, "overlay"},  Known{0x2FC12FC1, "zfs"},
    Known{0xF2F52010, "f2fs"},     Known{0xCA451A4E, "bcachefs"}, Known{0x52654973, "reiserfs"},
    Known{0x3153464A, "jfs"},      Known{0x4D44, "vfat"},         Known{0x2011BAB0, "exfat"},
    Known{0x5346544E, "ntfs"},     Known{0x7366746E, "ntfs3"},    Known{0x6969, "nfs"},
    Known{0xFF534D42, "cifs"},     Known{0xFE534D42, "smb2"},     Known{0x517B, "smb"},
    Known{0x65735546, "fuse"},     Known{0x01021997, "9p"},       Known{0x00C36400, "ceph"},
    Known{0x5346414F, "afs"},      Known{0x6B414653, "kafs"},     Known{0x73757245, "coda"},
    Known{0x0BD00BD0, "lustre"},   Known{0x47504653, "gpfs"},     Known{0x01161970, "gfs2"},
    Known{0x7461636F, "ocfs2"},    Known{0xF15F, "ecryptfs"},     Known{0x858458F6, "ramfs"},
    Known{0x73717368, "squashfs"}, Known{0xE0F5E1E2, "erofs"},    Known{0x9660, "iso9660"},
    Known{0x9FA0, "proc"},         Known{0x786F4256, "vboxsf"},   Known{0xBACBACBC, "vmhgfs"},
};

}  // namespace

Result<std::string> file_system_name(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return fail(file_error(errno, "look at", path));
  // The field is signed on some machines; the numbers are 32 bit.
  const auto magic = static_cast<std::uint32_t>(status.f_type);
  for (const auto& known : kKnown)
    if (known.magic == magic) return std::string(known.name);
  return fmt::format("{:#x}", magic);
}

}  // namespace teamster::env::real
