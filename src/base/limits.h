// Every limit of the program in one place, units in the name. Reaching one is an
// error or an event that names it, never silence.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace teamster::limits {

using namespace std::chrono_literals;

// Names and texts.
inline constexpr std::size_t kNameMaxBytes = 64;
inline constexpr std::size_t kBodyMaxBytes = 1024 * 1024;
inline constexpr std::size_t kSummaryMaxBytes = 1024;
inline constexpr std::size_t kSignalMaxCharacters = 500;
inline constexpr std::size_t kSubjectMaxBytes = 4 * 1024;
inline constexpr std::size_t kReservedMaxBytes = 512;  // of why a task is reserved
inline constexpr std::size_t kMetadataMaxBytes = 256 * 1024;
inline constexpr std::size_t kKeyMaxBytes = 128;

// JSON from anywhere outside this process.
inline constexpr std::size_t kJsonMaxDepth = 64;

// Frames on the hub's socket. A request carries one body (each byte may be escaped to six);
// an answer carries one page.
inline constexpr std::size_t kFrameMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kPageMaxBytes = 1024 * 1024;
inline constexpr std::size_t kPageMaxRows = 1000;

// The hub.
inline constexpr std::size_t kConnectionsMax = 4096;
inline constexpr std::size_t kRequestsInFlightPerConnectionMax = 4096;
inline constexpr std::size_t kUnsentBytesPerConnectionMax = 32 * 1024 * 1024;
inline constexpr std::size_t kInputBytesPerTurnMax = 256 * 1024;
inline constexpr std::size_t kBatchRequestsMax = 1024;
inline constexpr std::size_t kBatchRequestsPerConnectionMax = 256;
inline constexpr std::size_t kBatchAnswerBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kQueuedRequestsPerConnectionMax = 512;  // then its input is left in the socket
inline constexpr Duration kHelloDeadline = 10s;
inline constexpr Duration kFrameDeadline = 30s;  // from the first byte of a frame to its last
inline constexpr Duration kHubIdleExit = 30s;
inline constexpr Duration kWaitMax = 24h;

// Clients of the hub.
inline constexpr Duration kHubStartDeadline = 10s;
inline constexpr Duration kClientGiveUpAfter = 30s;
inline constexpr Duration kReconnectFirstDelay = 2ms;
inline constexpr Duration kReconnectMaxDelay = 100ms;
inline constexpr int kUnknownOutcomesMax = 3;  // of one request; then its caller is told

// Teams.
inline constexpr std::size_t kMembersPerTeamMax = 1024;
inline constexpr std::size_t kTasksPerTeamMax = 1'000'000;
inline constexpr std::size_t kBlockersPerTaskMax = 1024;
inline constexpr std::size_t kClaimedShownMax = 100;  // of a member in `team status`; `task list --owner` shows all
inline constexpr Duration kShutdownAnswerDeadline = 10s;
inline constexpr Duration kOrphanWarnAge = 1h;

// Messages: how long a delivered message may stay unseen between turns, and how often it is
// handed out before it becomes a dead letter.
inline constexpr Duration kRedeliverAfter = 120s;
inline constexpr int kDeliveriesMax = 3;

// Runs: what the journal takes of one, and how long a process holds it without a sign of life.
inline constexpr std::size_t kRunRecordMaxBytes = 4 * 1024 * 1024;  // of one body
inline constexpr std::size_t kRunRecordsPerAppendMax = 1000;
inline constexpr std::size_t kRecordKindMaxBytes = 64;
inline constexpr Duration kRunLease = 5min;  // when its holder asks for no other time
inline constexpr Duration kRunLeaseMax = 24h;
inline constexpr std::size_t kRunsLookedAtForNames = 1000;  // for what somebody may have meant
inline constexpr std::size_t kRunsSuggestedMax = 3;

// The keeper and its children.
inline constexpr std::size_t kKeeperPacketMaxBytes = 192 * 1024;
inline constexpr Duration kKeeperAnswerDeadline = 10s;
inline constexpr Duration kKeeperGrace = 2s;    // between SIGTERM and SIGKILL
inline constexpr Duration kKeeperLook = 50ms;   // how often it looks whether what it ended is gone
inline constexpr Duration kKeeperGiveUp = 60s;  // what a SIGKILL does not end by then is the kernel's

// Between the last change of a file that names a team and the end of that team: whoever writes it is done by then.
inline constexpr Duration kStateSettles = 2s;

// Agents: what we take from one, and how long it may take.
inline constexpr std::size_t kAgentLineMaxBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kAgentAnswerMaxBytes = 16 * 1024 * 1024;  // of a command's whole output
inline constexpr std::size_t kAgentErrorsKeptBytes = 8 * 1024;         // the end of its standard error
inline constexpr std::size_t kAgentNoiseLinesMax = 100;                // that are not its protocol, in one turn
inline constexpr std::size_t kTranscriptTextMaxBytes = 64 * 1024;      // of one entry
inline constexpr Duration kAgentStartDeadline = 60s;
inline constexpr Duration kTurnSilenceMax = 15min;  // without any output
inline constexpr Duration kTurnSilenceTold = 2min;  // after which it is told, again and again
inline constexpr Duration kTurnMax = 4h;
inline constexpr Duration kInterruptDeadline = 15s;  // then the process is ended
inline constexpr Duration kAgentCloseGrace = 3s;     // from the end of its input to SIGTERM
inline constexpr Duration kAgentTermGrace = 3s;      // from SIGTERM to SIGKILL
inline constexpr Duration kAgentDrainDeadline = 2s;  // from its exit to the end of its output
inline constexpr int kRespawnsMax = 3;               // without a good turn between them

// Turns: what the journal keeps of one. A longer text is cut and leaves its digest; a result is whole or it is none,
// and small enough for the records of a run that repeat it.
inline constexpr std::size_t kTurnTextMaxBytes = 256 * 1024;
inline constexpr std::size_t kTurnErrorMaxBytes = 4 * 1024;
inline constexpr std::size_t kTurnResultMaxBytes = 3 * 1024 * 1024;
inline constexpr std::size_t kTurnResultMaxDepth = 48;
inline constexpr std::size_t kTurnRestartsMax = 100;  // of one prompt's agent
inline constexpr std::size_t kPromptIdMaxBytes = 256;
inline constexpr Duration kTellAgainAfter = 1s;  // what the hub could not take
inline constexpr Duration kFarewellMax = 60s;    // for what a member that leaves has to tell yet

// Regular expressions from outside.
inline constexpr std::size_t kPatternMaxBytes = 1024;
inline constexpr std::size_t kPatternCharactersMax = 8192;   // after repetitions are written out
inline constexpr std::size_t kPatternRepetitionsMax = 1000;  // of a group; RE2's own, multiplies those in each other
inline constexpr std::int64_t kPatternMemoryMaxBytes = 4 * 1024 * 1024;

// JSON Schemas, and the values checked against them.
inline constexpr std::size_t kSchemaMaxBytes = 256 * 1024;
inline constexpr std::size_t kSchemaLevelsMax = 1024;       // schemas within schemas, references followed
inline constexpr std::size_t kSchemaStepsMax = 10'000'000;  // of one check: a second or so
inline constexpr std::size_t kSchemaProblemsMax = 20;
inline constexpr std::size_t kSchemaProblemMaxBytes = 400;

// Workflows.
inline constexpr std::size_t kYamlMaxBytes = 1024 * 1024;
inline constexpr std::size_t kYamlMaxDepth = 64;
inline constexpr std::size_t kYamlNodesMax = 100'000;
inline constexpr std::size_t kWorkflowFilesMax = 512;
inline constexpr std::size_t kWorkflowFileMaxBytes = 1024 * 1024;
inline constexpr std::size_t kWorkflowBundleMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kWorkflowPhasesMax = 256;
inline constexpr std::size_t kStageMaxBytes = 16;    // of what a phase is called besides its id
inline constexpr std::size_t kWorkflowWaysMax = 64;  // of a phase, and of `always`
inline constexpr std::size_t kWorkflowProblemsMax = 100;
inline constexpr std::int64_t kLoopRoundsMax = 1000;
inline constexpr std::int64_t kWindowMinCharacters = 1'000;  // of a model's context, as a workflow may say it
inline constexpr std::int64_t kWindowMaxCharacters = 100'000'000;
inline constexpr std::int64_t kPromptPercentOfWindow = 30;     // the rest is for the work
inline constexpr std::size_t kInsightsMaxLines = 200;          // of a file whose sections reach prompts
inline constexpr std::int64_t kItemsMax = 20'000;              // of one phase
inline constexpr std::int64_t kTasksMadeAtOnce = 200;          // for the items of a phase
inline constexpr std::int64_t kLadderTriesMax = 100;           // at one rung
inline constexpr std::size_t kRenderedMaxBytes = 1024 * 1024;  // of one prompt or short text

// Scripted agents.
inline constexpr std::size_t kScriptMaxBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kScriptInputLineMaxBytes = 32 * 1024 * 1024;
inline constexpr std::size_t kScriptHugeMaxBytes = 64 * 1024 * 1024;
inline constexpr std::size_t kScriptCommandOutputMaxBytes = 30'000;
inline constexpr std::size_t kScriptHeardMaxBytes = 4 * 1024;  // of each prompt, in a session's file
inline constexpr std::size_t kScriptPlaceMaxBytes = 256 * 1024 * 1024;
inline constexpr std::size_t kScriptToolLineMaxBytes = 32 * 1024 * 1024;
inline constexpr Duration kScriptToolStartDeadline = 15s;
inline constexpr Duration kScriptDrainDeadline = 200ms;  // for output of a command that has ended

// MCP: one client on the standard streams. A line carries one body, each byte of which may be
// escaped to six.
inline constexpr std::size_t kMcpLineMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kMcpIdMaxBytes = 1024;
inline constexpr std::size_t kMcpCallsInFlightMax = 256;  // then its input is left in the pipe
inline constexpr std::size_t kMcpUnsentBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kMcpSubscriptionsMax = 64;
inline constexpr std::size_t kMcpListMax = 100;  // tasks or messages in one result
inline constexpr std::size_t kMcpDeliveredMax = 20;
inline constexpr Duration kMcpProgressInterval = 1s;
inline constexpr Duration kMcpDrainTime = 5s;
inline constexpr std::size_t kTurnFileMaxBytes = 1024 * 1024;
inline constexpr std::size_t kSkillMaxBytes = 256 * 1024;
inline constexpr std::size_t kSkillsListedMax = 50;

// Projects: what is read from one, and the programs that run in it.
inline constexpr std::size_t kLedgerIndexMaxBytes = 256 * 1024;
inline constexpr std::size_t kArtifactMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kFileNameMaxBytes = 255;
inline constexpr std::size_t kProjectFileMaxBytes = 1024 * 1024;
inline constexpr std::size_t kSeriesItemsMax = 1000;
inline constexpr std::size_t kFilesNamedMax = 20;  // in one error
inline constexpr std::size_t kPatternTextMaxBytes = 16 * 1024;
inline constexpr std::size_t kProgramOutputKeptBytes = 64 * 1024;  // its end
inline constexpr Duration kProgramMax = 30min;
inline constexpr Duration kProgramTermGrace = 3s;         // from SIGTERM to SIGKILL
inline constexpr Duration kProgramDrainDeadline = 200ms;  // for output of a program that has ended
inline constexpr std::size_t kGitOutputMaxBytes = 4 * 1024 * 1024;
inline constexpr Duration kGitLookMax = 2min;
inline constexpr Duration kGitCommitMax = 15min;  // the project's hooks run in it
inline constexpr int kGitTagTriesMax = 5;         // when others make tags meanwhile

// Files of other tools.
inline constexpr std::size_t kForeignFileMaxBytes = 1024 * 1024;
inline constexpr Duration kForeignTeamYoung = 1h;  // one that is being made has no configuration yet

// The home.
inline constexpr std::size_t kHubLogMaxBytes = 4 * 1024 * 1024;
inline constexpr Duration kRetention = 30 * 24h;
inline constexpr std::size_t kDiskFreeWarnBytes = 512UL * 1024 * 1024;

}  // namespace teamster::limits
