#include "workflow/core/dangerous_requests.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/pattern.h"
#include "workflow/core/plain_letters.h"
#include "workflow/core/secret_requests.h"

namespace teamster::workflow {
namespace {

constexpr const char* kAsksForSecrets = "it asks for secrets";
constexpr const char* kAsksForCommand = "it asks for a command to be run";
constexpr const char* kBendsRules = "it tries to change the rules of the run";
constexpr const char* kHidesWords = "it hides words that nobody can see";
constexpr const char* kNamesTooMany = "it calls too many people";

constexpr std::size_t kMentionsMax = 10;

// Parts of the expressions below, which all look at plain letters.
// Before a verb that is meant for whoever reads it.
const std::string kOrders =
    R"((?:^|[\n.!?:;,("'*>-] ?|\b(?:please|then|now|just|and|also|first|instead|kindly|pls|plz|)"
    R"(you (?:must|should|have to|need to|can|will|shall|may|to)|(?:can|could|would|will) you|go ahead and|go|quickly|)"
    R"(simply|immediately|let's|lets|bot|agent|worker|executor|assistant|claude|ai)[ ,:]+))";
const std::string kRuns = R"((?:run|execute|exec|invoke|launch|eval|evaluate|perform|issue|spawn|type|enter|source))";

struct Form {
  const char* why;
  std::string expression;
};

// Beside those that are about a sentence, see secret_requests.h.
std::vector<Form> forms_of_secrets() {
  return {
      {kAsksForSecrets,
       R"((?:paste|send|show|give|tell|print)(?:me|us)?(?:the|your|all|my|our)(?:password|token|apikey|secret))"},
      {kAsksForSecrets, R"(env(?:ironment)? (?:vars?|variables?) (?:and|with|plus) (?:their|all|the) values)"},
      {kAsksForSecrets, R"(\b(?:printenv|export -p|env ?[|>])|process\.env|os\.environ)"},
      {kAsksForSecrets,
       R"(\b(?:schick|sende|gib|zeig|nenn|verrat|poste|schreib)[a-z]* (?:mir|uns|bitte|doch|mal|hier)\b)"
       R"([^.\n]{0,40}(?:passwort|passworter|zugangsdaten|schlussel|token|geheimnis|umgebungsvariablen))"},
      {kAsksForSecrets,
       R"(\b(?:envoie|donne|montre|affiche)[a-z-]*\b[^.\n]{0,40}(?:mots? de passe|cles? (?:api|privee)|)"
       R"(identifiants|jetons?|variables d'environnement))"},
      {kAsksForSecrets,
       R"(\b(?:envia|dame|muestra|manda|ensena)[a-z]*\b[^.\n]{0,40}(?:contrasena|claves?|credenciales|)"
       R"(secretos|variables de entorno))"},
  };
}

std::vector<Form> forms_of_commands() {
  return {
      {kAsksForCommand,
       fmt::format(R"({}{}(?: me| us)? (?:any|arbitrary|the following|these|my|this|whatever|those|that)\b)"
                   R"([^.\n]{{0,30}}\b(?:commands?|code|scripts?|payload|binary|one-liner|snippet|shell)\b)",
                   kOrders, kRuns)},
      {kAsksForCommand,
       fmt::format(
           R"({}{}(?: (?:this|that|the following|these|a|the))?(?: (?:shell )?(?:commands?|script|code))?)"
           R"((?: (?:please|now|first|quickly|for me|on the server|as root|locally))*:?[\n "'$>]*)"
           R"((?:sudo |rm |curl |wget |bash |sh |zsh |nc |ncat |chmod |chown |dd |kill |pkill |killall |)"
           R"(touch [^ \n]+(?:$|[\n./;&|])|python3? -c|perl -e|ruby -e|node -e|php -r|export [a-z_]+=|env\b|printenv|)"
           R"(crontab |systemctl |docker run|kubectl (?:delete|exec|apply)|git (?:push|remote|config)|mkfs|tar |)"
           R"(echo |cat |base64 |openssl |sendmail |reboot|shutdown|poweroff|useradd|passwd |whoami|uname|nmap|)"
           R"(find /|ssh |scp |rsync |psql |mysql |make deploy|npm publish|terraform ))",
           kOrders, kRuns)},
      {kAsksForCommand, fmt::format(R"({}(?:install|download|fetch|clone|pull)\b[^.\n]{{0,40}}https?://[^\n]{{0,80}}\b)"
                                    R"((?:run|execute|start|launch|source)\b)",
                                    kOrders)},
      {kAsksForCommand,
       R"(\b(?:wipe|erase|destroy|format) (?:the |all |this |every )*(?:repo(?:sitory)?|database|disk|server|machine|files)\b)"},
      {kAsksForCommand, R"(\b(?:decode|decrypt|base64)\b[^.\n]{0,60}\b(?:run|execute|obey|follow)\b)"},
  };
}

// What is a command of its own and none that one runs in a project by chance.
std::vector<Form> forms_of_shells() {
  return {
      {kAsksForCommand, R"(\brm -[a-z]*[rf])"},
      {kAsksForCommand, R"(\| ?(?:sudo )?(?:ba|z|da)?sh\b)"},
      {kAsksForCommand,
       R"(\b(?:curl|wget|nc|ncat) (?:-[^\n ]+ )*["'<]?(?:https?://|[0-9]{1,3}\.|[a-z0-9-]+\.[a-z]{2,}))"},
      {kAsksForCommand, R"(/dev/tcp/|\bnc -[a-z]*e|\bbash -[ic]|\bsh -c|:\(\) ?\{|\bmkfs|\bdd if=|> ?/dev/sd)"},
      {kAsksForCommand,
       R"(\bchmod (?:-r )?(?:[0-7]{3,4}|[ugoa]*\+[xs])|\bsudo [a-z]|\bbase64 (?:-d|--decode)|\$\([a-z])"},
      {kAsksForCommand,
       R"(\bgit push [^\n]*(?:-f\b|--force|https?:)|\bgit remote (?:add|set-url)|authorized_keys|crontab )"},
      {kAsksForCommand, R"(\b(?:drop|truncate) (?:table|database|schema)\b|\bdelete from [a-z_]+)"},
      {kAsksForCommand, R"(\beval\(|\bexec\(|os\.system|subprocess\.|child_process|invoke-expression|\biex\b)"},
      {kAsksForCommand,
       R"(\b(?:kill -9|killall|shutdown -|docker run|kubectl (?:delete|exec)|npm publish|terraform destroy|)"
       R"(gh (?:auth|secret)|aws (?:s3|iam|sts|secretsmanager)|ssh [a-z0-9_.-]+@|scp [^ ]+ [^ ]+:))"},
      {kAsksForCommand, R"(/proc/self/environ|\$\{?ifs\b|<script|javascript:)"},
  };
}

std::vector<Form> forms_of_rules() {
  return {
      {kBendsRules,
       R"(\b(?:ignore|disregard|forget|override|overrule|drop|discard|bypass)\b (?:(?:all|any|every|the|your|)"
       R"(my|of|these|those|previous|prior|above|earlier|existing|other|system|safety|security|security's|)"
       R"(former|original|current|initial) )*(?:instructions?|rules|prompts?|guidelines?|directions|policy|)"
       R"(policies|constraints|guardrails?|safeguards?|restrictions|everything (?:above|before|you)))"},
      {kBendsRules, R"(\bforget (?:everything|all (?:of )?(?:that|this|you)))"},
      {kBendsRules,
       R"(\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\bnew (?:system )?(?:instructions?|orders|rules):)"},
      {kBendsRules,
       R"(\b(?:act|behave|respond|answer) as (?:if you (?:were|are) )?(?:a |an |the |my )?(?:root|admin|system|owner|)"
       R"(unrestricted|dan\b|operator|jailbroken|different (?:ai|model|agent)))"},
      {kBendsRules,
       R"(\bpretend (?:to be|you are|that you are|i am|that i am)\b|\bjailbr[eo]a?k|\bdeveloper mode\b|\bdan mode\b)"},
      {kBendsRules,
       R"((?:\[|<|<\||#+ ?)/?(?:system|im_start|im_end|assistant|developer)(?:\||\]|>| )|\bsystem (?:override|notice|)"
       R"(message|alert)\b|\bend of (?:system )?(?:prompt|instructions|user input))"},
      {kBendsRules, R"(\b(?:reveal|print|show|repeat|output|recite|tell|leak)\b[^.\n]{0,20}\b(?:your|the) (?:system )?)"
                    R"((?:prompts?|instructions)\b)"},
      {kBendsRules,
       R"(\b(?:bypass|disable|turn off|switch off|skip|circumvent|suppress)\b (?:all |any |of |the )*(?:your |all )+)"
       R"((?:safety|security|guards?|guardrails?|redaction|verification|approvals?|reviews?|checks?|filters?)\b)"},
      {kBendsRules,
       R"(\b(?:mark|treat|count|consider|record|take|log|register|accept|report) (?:it|this|that|everything|all of )"
       R"(it|my (?:message|silence)|silence|the manifest|the gate|the review|the pr)\b[^.\n]{0,40}\b)"
       R"((?:as )?(?:an? )?approv(?:ed|al)\b)"},
      {kBendsRules,
       R"(\bapprove (?:it|this|that|the (?:manifest|gate|pr|review|pull request)|everything)\b[^.\n]{0,30}\b)"
       R"((?:yourself|for (?:me|us|kim|them|him|her|@[a-z]+)|in (?:my|his|her|their|[a-z]+'s) (?:name|place)|)"
       R"(on (?:my|his|her|their|[a-z]+'s|the owner's) behalf|on behalf|automatically|without asking))"},
      {kBendsRules,
       R"(\b(?:i am|i'm|this is|speaking as|acting as|as) (?:the |your |a |an )?(?:real |new |true )?(?:owner|operator|)"
       R"(administrator|admin|root|developer|ceo|anthropic|openai|teamster|system)\b[^.\n]{0,60}\b(?:order|command|)"
       R"(authori[sz]e|instruct|override|hereby|demand|grant|require you)\b)"},
      {kBendsRules, R"(\bon behalf of\b[^.\n]{0,40}\b(?:approve|approved|sign|signed|authori[sz]e)\b)"},
      {kBendsRules, R"(\[[0-9a-f]{6,} (?:begins|ends)|(?:^|\n)(?:team|collab)_context:)"},
      {kBendsRules,
       R"(\b(?:ignoriere|vergiss) (?:alle |deine |die |bisherigen |vorherigen )*(?:anweisungen|regeln|vorgaben))"},
      {kBendsRules,
       R"(\bignor(?:e|ez|a) (?:toutes |tes |vos |les |todas |tus |las |sus )*(?:instructions|consignes|instrucciones))"},
  };
}

struct Compiled {
  const char* why;
  Pattern pattern;
};

std::vector<Compiled> compiled(const std::vector<Form>& forms) {
  std::vector<Compiled> all;
  for (const auto& form : forms) {
    auto pattern = Pattern::compile(form.expression);
    CHECK(pattern.has_value());
    all.push_back({form.why, *std::move(pattern)});
  }
  return all;
}

const char* first_in(const std::vector<Compiled>& forms, const std::string& text) {
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const auto& form) { return form.pattern.search(text); });
  return found == forms.end() ? nullptr : found->why;
}

// What people of a project tell each other to run all day.
bool is_everyday_command(const std::string& command) {
  static const Pattern kEveryday = *Pattern::compile(
      R"(^\$? ?(?:(?:make|ninja|ctest|cmake|pytest|tox|rspec|jest|vitest|eslint|prettier|black|ruff|mypy|clang-format|)"
      R"(clang-tidy|mvn|gradle|\./gradlew|go (?:test|build|vet)|cargo (?:test|build|check|clippy|fmt)|(?:npm|yarn|pnpm) )"
      R"((?:test|ci|run [a-z:-]+|lint|build)|python3? -m (?:pytest|unittest)|dotnet test|mix test|bundle exec rspec|)"
      R"(\./(?:dev|run|build|test)[a-z_.-]*|git (?:status|log|diff|show|fetch|blame|bisect)|teamster verify)\b)[^;|&$`<>(){}]*$)");
  static const Pattern kDeploys = *Pattern::compile(R"(\b(?:deploy|publish|release|push|destroy|install|clean)\b)");
  return kEveryday.search(command) && !kDeploys.search(command);
}

// "Please run `…`", wherever in the text.
bool orders_quoted_command(const std::string& text) {
  static const Pattern kOrder = *Pattern::compile(fmt::format(R"({}{}\b[^`\n]{{0,60}}$)", kOrders, kRuns));
  constexpr std::size_t kBefore = 120;
  for (std::size_t open = text.find('`'); open != std::string::npos;) {
    const std::size_t begin = std::min(text.find_first_not_of('`', open), text.size());
    const std::size_t close = text.find('`', begin);
    if (close == std::string::npos) return false;
    std::string before = text.substr(open > kBefore ? open - kBefore : 0, std::min(open, kBefore));
    // A block stands on lines of its own, below what is said of it; anything else is said of it on its line.
    if (begin - open >= 3)
      std::replace(before.begin(), before.end(), '\n', ' ');
    else if (const std::size_t line = before.rfind('\n'); line != std::string::npos)
      before.erase(0, line + 1);
    if (kOrder.search(before) && !is_everyday_command(text.substr(begin, close - begin))) return true;
    open = text.find('`', std::min(text.find_first_not_of('`', close), text.size()));
  }
  return false;
}

// Whoever asks that such a thing is refused asks for nothing else, unless they also want something run.
bool speaks_of_defence(const std::string& text) {
  static const Pattern kDefence = *Pattern::compile(
      R"(\b(?:reject|refuse|escape|sanitize|sanitise|handle|block|prevent|protect|against|never|must not|should not|cannot|)"
      R"(don't|do not|input like|injection|vulnerab[a-z]*|warns?|warning|strip|quarantine|forbid|no longer)\b)");
  static const Pattern kOrder = *Pattern::compile(fmt::format(R"({}{}\b)", kOrders, kRuns));
  static const Pattern kNever =
      *Pattern::compile(R"(\b(?:never|not|don't|cannot|can't) (?:[a-z]+ )?(?:run|execute)\b)");
  return kDefence.search(text) && (!kOrder.search(text) || kNever.search(text));
}

const char* danger_in_plain(const std::string& text) {
  static const std::vector<Compiled> kSecrets = compiled(forms_of_secrets());
  static const std::vector<Compiled> kCommands = compiled(forms_of_commands());
  static const std::vector<Compiled> kShells = compiled(forms_of_shells());
  static const std::vector<Compiled> kRules = compiled(forms_of_rules());
  if (const char* why = first_in(kRules, text)) return why;
  if (asks_for_secrets(text)) return kAsksForSecrets;
  if (const char* why = first_in(kSecrets, text)) return why;
  if (const char* why = first_in(kCommands, text)) return why;
  if (orders_quoted_command(text)) return kAsksForCommand;
  const char* shell = first_in(kShells, text);
  return shell != nullptr && !speaks_of_defence(text) ? shell : nullptr;
}

std::size_t mentions_in(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins_word =
        i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n' || text[i - 1] == '<' || text[i - 1] == ',';
    if (begins_word && (text[i] == '@' || (text[i] == '!' && i > 0 && text[i - 1] == '<'))) ++count;
  }
  return count;
}

}  // namespace

std::string danger_in(std::string_view text) {
  const std::string plain = plain_letters(text);
  for (const auto& read : {plain, without_leet(plain), without_gaps(plain), plain_letters(hidden_words(text)),
                           std::string(plain.rbegin(), plain.rend())})
    if (const char* why = danger_in_plain(read)) return why;
  if (hides_words(text)) return kHidesWords;
  if (mentions_in(plain) > kMentionsMax) return kNamesTooMany;
  return {};
}

}  // namespace teamster::workflow
