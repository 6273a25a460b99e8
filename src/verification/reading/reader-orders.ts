/**
 * Orders in an answer for the model that reads it. A text about such orders is none: it quotes them, reports them, or
 * lists them as examples (docs/internals/detectors.md#answers-for-their-readers). Without a model: equal texts give
 * equal results.
 */
import { sentencesOf } from './prose';

/** Words by which a sentence reports what others say, or names an example. */
const REPORTS =
  /\b(?:such as|for example|e\.g\.|examples?|like|samples?|phrases?|says?|said|saying|reads?|called|known as|attacks?|attackers?|payloads?|jailbreaks?|injections?|injected|malicious|suspicious|flagged|detected|contains?|contained|tries to|try to|tried to|attempts? to|attempted|could be told|was told|were told|asks? (?:the|a|an) (?:model|assistant|agent)|imperative|researchers?|hidden text|text that|sentences?|quot\w{1,8}|example of|Beispiele?|exemples?|ejemplos?)\b/i;

/** A polite or urgent beginning before an order, with a label of at most a few words. */
const START =
  '^(?:[\\W_]{0,6}(?:(?:important|urgent|attention|note|notice|warning|system|admin|developer|override|update|new instructions?|instructions?|ai|llm|assistant|agent|model|chatbot|bot|claude|gpt|copilot|gemini)\\b[\\w \\t]{0,40}[\\])>*_"]{0,3}\\s{0,2}[:,–—-]?[\\s*_]{1,3}){0,3})?(?:(?:please|now|then|first|also|and|you (?:must|should|need to|have to|will|are to)|must|immediately|from now on,?)\\s{1,3}){0,4}';
const RULES =
  '(?:instructions?|prompts?|directions?|directives?|guidelines?|rules|orders|constraints|guardrails|policies|system (?:prompt|message)|training)';

const OVERRIDE = new RegExp(
  `${START}(?:ignore|disregard|forget|override|bypass|discard|drop)\\b[^.\\n]{0,30}\\b(?:your|all|any|previous|prior|earlier|above|preceding|other|existing|current|system)\\b[^.\\n]{0,40}\\b${RULES}\\b`,
  'i',
);

/** The same in other languages, anywhere in a sentence. */
const OVERRIDE_ABROAD =
  /\b(?:ignorier(?:e|en Sie)|vergiss|missachte) [^.\n]{0,40}(?:vorherig|bisherig|obig|früher|vorig)\w{0,3} [^.\n]{0,20}(?:anweisung|instruktion|regel|befehl)|\bignor(?:a|e|en|ez|er|ate) [^.\n]{0,20}(?:instruc\p{L}{1,8}|consignes|istruzioni|instruções|directives)[^.\n]{0,20}(?:anterior\p{L}{0,3}|previ\p{L}{1,3}|précédentes?|precedenti)|\b(?:olvida|oublie[zr]?|dimentica|esque[cç]a) [^.\n]{0,30}(?:instruc\p{L}{1,8}|consignes|istruzioni|instruções)|\b(?:negeer|vergeet) [^.\n]{0,30}(?:instructies|opdrachten)|\bzignoruj [^.\n]{0,30}(?:instrukcje|polecenia)|(?:игнорируй\p{L}{0,3}|забудь\p{L}{0,3}) [^.\n]{0,40}(?:инструкци|указани|правил)|忽略[^。\n]{0,16}(?:指示|指令|说明|提示)|無視して[^。\n]{0,16}|(?:以前|これまで|上記)の[^。\n]{0,8}(?:指示|命令)を(?:すべて)?(?:無視|忘れ)|이전[^.\n]{0,10}(?:지시|명령|지침)[^.\n]{0,8}(?:무시|잊)|تجاهل [^.\n]{0,30}(?:التعليمات|الأوامر)|पिछले [^।\n]{0,20}(?:निर्देश|आदेश)[^।\n]{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)|(?:önceki|yukarıdaki) [^.\n]{0,20}talimatlar\p{L}{0,3} [^.\n]{0,10}(?:yok say|görmezden|unut)/iu;

const ACTIONS =
  "(?:call|invoke|use|run|execute|send|forward|e-?mail|upload|export|post|transfer|pay|delete|drop|read|open|fetch|visit|include|append|pass|reveal|print|output|disclose|share|copy|set|add|grant|install|click|reply|respond|answer|never|do not|don’t|don't|ignore|forget|disregard)";
const MODEL = '(?:AI|LLM|language model|chatbot|AI[- ](?:assistant|agent|model)s?|assistant|agent|model)';

/** A sentence that turns to a model: "Note to the AI agent that reads this: run …", "Assistant, forget …". */
const ADDRESSED = new RegExp(
  `^[\\W_]{0,6}(?:(?:important|urgent|note|message|notice|hint|attention|instructions?|reminder)s?(?: to| for)?[\\s:,]{1,3}){0,2}(?:(?:the|any|all|an|dear|every) ){0,2}(?:AI|LLM|language model|chatbot|assistant|copilot|claude|chatgpt|gemini)\\b[\\w \\t'’]{0,60}(?:[:,]|–|—| -)\\s{0,3}(?:(?:please|now|you|must|should|need to|have to|are required to|also|first|immediately|proceed to) ?){0,5}${ACTIONS}\\b`,
  'i',
);
/** A sentence about what a model that reads must do, with "AI" or a sensitive thing. */
const OBLIGES = new RegExp(
  `\\b(?:any|the|an|all|every)? ?(?:AI|LLM|language model)(?:[- ](?:assistant|agent|model)s?)?s?\\b[^.\\n:]{0,50}\\b(?:must|should|shall|needs? to|ha(?:s|ve) to|(?:is|are) required to|please)\\b[^.\\n]{0,20}\\b${ACTIONS}\\b`,
  'i',
);
const OBLIGES_MODEL = new RegExp(
  `\\b(?:the|any|every) ${MODEL} (?:must|should|shall|needs to|has to|is required to)\\b[^.\\n]{0,20}\\b${ACTIONS}\\b`,
  'i',
);

/** Things that no answer needs to be sent, read or passed on. */
const SENSITIVE =
  /~\/\.|\.ssh\b|id_(?:rsa|ed25519)|\bmcp\.json\b|(?:^|[\s/])\.env\b|\/etc\/(?:passwd|shadow)|\b(?:conversation|chat (?:history|log)|message history|system prompt|(?:api|private|secret|access) keys?|passwords?|credentials?|tokens?|environment variables?|seed phrase|cookies?|inbox|contacts|user'?s? (?:data|files|keys|password|mails?))\b/i;
const DESTINATION =
  /https?:\/\/|\b[\w.+-]{1,64}@[\w-]{1,63}\.\w{2,24}|\bin (?:the|your) (?:next|following) (?:request|call|message|answer|response)|\b(?:as|in|into) (?:the )?(?:side ?note|parameter|argument|field|header)|\bto (?:us|me|the (?:following|attacker|address|server|endpoint))\b/i;
const TAKES = new RegExp(
  `${START}(?:read|open|send|forward|upload|export|include|pass|post|reveal|print|output|disclose|copy|append|attach|e-?mail|exfiltrate)\\b`,
  'i',
);

/** Keeping something from the user is what no honest answer asks for. */
const KEEPS_FROM_USER =
  /(?:^|[,;:–—-] (?:but |and |also )?|\band |\bbut )(?:please )?(?:do not|don['’]t|never|without) (?:\w{1,20} ){0,2}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|show|alert|notify|warn)\b[^.\n]{0,40}\b(?:the |your )?(?:user|human|end user)s?\b/i;

/** An order for another tool: "When using the send_email tool, always set the recipient to …". */
const SHADOWS =
  /\b(?:when(?:ever)?|before|after|each time|every time) (?:you )?(?:use|using|call|calling|invoke|invoking)\b[^.\n]{0,60}\b(?:always|must|set|also|first|include|add|pass|send|bcc|append)\b/i;
const SHADOWED =
  /@[\w-]{1,63}\.\w{2,24}|https?:\/\/|\b(?:recipient|bcc|api[_ ]?key|password|token|credential|conversation|secret|account number|iban)s?\b/i;

/** A false message of the system, at the beginning of a line, with an order in it. */
const FALSE_LABEL =
  /^\s{0,4}(?:[[<(*]{1,3}\s?(?:system|inst|admin|developer|end of (?:tool )?(?:output|result)s?|tool[_ ]result)\b[^\])>*\n]{0,30}[\])>*]{1,3}|system(?: message| override| notice)?:)([^\n]{0,400})/gim;
const IN_LABEL =
  /\byou (?:must|should|are now|need to)\b|\b(?:user|human|operator) has (?:authori[sz]ed|approved|consented|confirmed|requested)\b|\b(?:call|invoke|run|execute|send|ignore|transfer|forward|disregard) (?:the |all |any )?[\w]{2,40}/i;
const ORDER_TAG =
  /<(important|system|secret|instructions?|system[_-](?:prompt|reminder|message)|admin)(?: [^<>]{0,100})?>([\s\S]{0,600}?)<\/\1>/gi;
const IN_TAG = new RegExp(`\\b${ACTIONS}\\b`, 'i');

/** True for an answer that gives orders to the model that reads it, which `input` does not. */
export function ordersReader(output: string, input: string): boolean {
  return givesOrders(output) && !givesOrders(input);
}

function givesOrders(text: string): boolean {
  if (holdsOrder(text, ORDER_TAG, 2, IN_TAG) || holdsOrder(text, FALSE_LABEL, 1, IN_LABEL)) return true;
  return sentencesOf(text).some(({ text: said, head }) => {
    if (REPORTS.test(head)) return false;
    const order = orderIn(said);
    return order !== undefined && !REPORTS.test(said.slice(0, order.index));
  });
}

/** The order of a sentence; `index`: where it begins, after which no word reports it. */
function orderIn(said: string): { index: number } | undefined {
  for (const pattern of [OVERRIDE, OVERRIDE_ABROAD, ADDRESSED, OBLIGES, KEEPS_FROM_USER]) {
    const found = pattern.exec(said);
    if (found) return found;
  }
  const obliged = OBLIGES_MODEL.exec(said);
  if (obliged && SENSITIVE.test(said)) return obliged;
  const taken = TAKES.exec(said);
  if (taken && SENSITIVE.test(said) && DESTINATION.test(said)) return taken;
  const shadowed = SHADOWS.exec(said);
  return shadowed && SHADOWED.test(said) ? shadowed : undefined;
}

/** True if the group of a match has an order, and no quotation mark stands before the match. */
function holdsOrder(text: string, pattern: RegExp, group: number, order: RegExp): boolean {
  return [...text.matchAll(pattern)].some((match) => {
    const before = text.slice(Math.max(0, match.index - 1), match.index);
    return !/["'`“«‘]/.test(before) && order.test(match[group] ?? '');
  });
}
