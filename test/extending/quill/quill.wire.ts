import type { Turn } from '#models/conversation/conversation';
import type { Refusal } from '#models/providers/http/answer-status';
import { fieldsOf, textOf } from '#models/providers/http/json-fields';
import { type FaultOutcome, ProviderFault, contentRefused } from '#models/providers/http/provider-fault';
import type {
  ConversationPiece,
  ConversationRequest,
  TextAnswer,
  TextUsage,
} from '#models/providers/text-provider';
import { asConversation, countOf, notServed, textIn } from '#models/providers/text/written-conversation';
import { StreamReader } from '#models/providers/text/stream-reader';
import type { Question, TextWire } from '#models/providers/text/wire-text.provider';

/**
 * Quill accepts plain texts only. Other calls go to the next route, because a part of a question would get a wrong
 * answer.
 */
const toTurn = ({ role, parts, at }: Turn): object => {
  if (parts.some(({ kind }) => kind !== 'text')) throw notServed('it takes turns of plain text only', at);
  return { speaker: role === 'assistant' ? 'quill' : role, says: textIn(parts) };
};

const toQuestion = (
  { model, maxTokens, conversation: { turns, tools } }: ConversationRequest,
  stream: boolean,
): Question => {
  if (tools.length > 0) throw notServed('it calls no tools', 'tools');
  return { path: 'answers', json: { model, most: maxTokens, turns: turns.map(toTurn), stream } };
};

/** Missing counts stay missing, because only measured use may be billed. */
const toUsage = (value: unknown): TextUsage | undefined => {
  const counted = fieldsOf(value);
  const [promptTokens, completionTokens] = [countOf(counted['read']), countOf(counted['written'])];
  return promptTokens === undefined || completionTokens === undefined
    ? undefined
    : { promptTokens, completionTokens };
};

const finishOf = (ended: unknown): string => (ended === 'most' ? 'length' : 'stop');

/** Undefined means that this is no answer of Quill. */
const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { says, ended, counted } = fieldsOf(value);
  const usage = toUsage(counted);
  if (ended === 'no') throw contentRefused();
  if (typeof says !== 'string' || usage === undefined) return undefined;
  return { content: says, finishReason: finishOf(ended), ...usage };
};

/** Reads the events of one answer, and ignores unknown events. */
class AnswerReader extends StreamReader {
  private hasWords = false;

  protected take(data: string, said: ConversationPiece[]): void {
    const { says, ended, counted, trouble } = fieldsOf(JSON.parse(data));
    if (trouble !== undefined) {
      // If no word has arrived yet, the next route may get the call.
      throw new ProviderFault(this.hasWords ? 'unknown' : 'not-accepted', 'it is in trouble');
    }
    const content = textOf(says);
    if (content !== undefined) {
      said.push({ delta: this.hasWords ? { content } : { role: 'assistant', content } });
      this.hasWords = true;
    }
    if (ended === undefined) return;
    if (ended === 'no') throw contentRefused();
    said.push({ delta: {}, finishReason: finishOf(ended) });
    const usage = toUsage(counted);
    if (usage !== undefined) said.push({ usage });
    this.hasFinish = true;
    this.isDone = true;
  }
}

/** Quill reports an empty account of ours by a text, without a code. */
export const judge = ({ message }: Refusal): FaultOutcome | undefined =>
  message.startsWith('Your inkwell is empty') ? 'empty-account' : undefined;

export const QUILL_WIRE: TextWire = {
  whole: (request) => toQuestion(asConversation(request), false),
  streamed: (request) => toQuestion(request, true),
  answer: toTextAnswer,
  reader: (eventsMax) => new AnswerReader(eventsMax),
};
