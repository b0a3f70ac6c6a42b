// The people around a run, as its journal has them: {owner, stakeholders: [{handle, name, expertise, is_qa, …}]}, or
// null where nobody was named. Whom a question is for, and who may answer it. Pure functions on that value.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "protocol/words/addresses.h"

namespace teamster::workflow {

// What a question asks for whose answer says who the people are.
inline constexpr const char* kPeople = "people";
// Whom a question is addressed to that nobody else is to answer.
inline constexpr const char* kOwner = "owner";

// A handle as the journal has it, of one as people write it: "@Sam.Smith" is "sam.smith".
std::string handle_of(std::string_view written);
// Of a group, handles with a plus between them, each so: "@kim + @sam" is "kim+sam".
std::string address_of(std::string_view written);

// To whom a question goes that names `to`, or nobody but an expertise: the first stakeholder who has it, or else the
// owner. Of several, as in "backend/security", each is looked for, and who has one of them is asked with the others.
std::string addressee(const Json& people, const std::string& to, const std::string& expertise);

// Whether a question to `to`, which may be a group, is one to the person with this handle.
bool is_addressed_to(const Json& people, const std::string& to, const std::string& handle);
// The same, or the owner, who may answer for anyone. Where no people are known anybody may.
bool may_answer(const Json& people, const std::string& to, const std::string& handle);

bool has_stakeholders(const Json& people);
bool has_qa(const Json& people);
// Empty: not known.
std::string owner_of(const Json& people);

// For others who read of the run: [{handle: "@sam", name, role, is_qa}].
Json stakeholders_of(const Json& people);
// Where people are asked: the id of the channel, or its name. Without a channel of a chat that is the run itself.
std::string channel_of(const Json& people, const std::string& run, bool is_id);
// {"@sam": thread}, one for each stakeholder, each group ("@sam+@ida") and the owner.
Json threads_of(const Json& people, const std::string& run);
// Channel, owner, threads and stakeholders as indented lines for a skill that talks to people by itself; empty: nobody
// is known.
std::string chat_text(const Json& people, const std::string& run);

}  // namespace teamster::workflow
