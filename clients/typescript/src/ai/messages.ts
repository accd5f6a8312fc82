import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';

import type { CompletionBody } from '../completions.ts';

type Message = CompletionBody['messages'][number];

const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Models accept only texts and images. */
const partOf = ({ data, mediaType }: LanguageModelV4FilePart) => {
  if (data.type === 'text') return { type: 'text' as const, text: data.text };
  if (data.type === 'reference' || !/^image(\/|$)/.test(mediaType)) {
    throw new TypeError(`A message may hold texts and images, and no ${mediaType}.`);
  }
  const type = mediaType.includes('/') && !mediaType.endsWith('*') ? mediaType : 'image/png';
  const url =
    data.type === 'url'
      ? String(data.url)
      : `data:${type};base64,${typeof data.data === 'string' ? data.data : toBase64(data.data)}`;
  return { type: 'image_url' as const, image_url: { url } };
};

const resultOf = (output: LanguageModelV4ToolResultOutput): string => {
  if (output.type === 'execution-denied') return output.reason ?? 'The call of this tool was refused.';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
};

const messagesOf = (message: LanguageModelV4Message): readonly Message[] => {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [
        {
          role: 'user',
          content: message.content.map((part) =>
            part.type === 'text' ? { type: part.type, text: part.text } : partOf(part),
          ),
        },
      ];
    case 'assistant': {
      let text = '';
      let reasoning = '';
      const calls: NonNullable<Message['tool_calls']>[number][] = [];
      for (const part of message.content) {
        if (part.type === 'text') text += part.text;
        if (part.type === 'reasoning') reasoning += part.text;
        if (part.type === 'tool-call') {
          const called = { name: part.toolName, arguments: JSON.stringify(part.input) };
          calls.push({ id: part.toolCallId, type: 'function', function: called });
        }
      }
      return [
        {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      ];
    }
    default:
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ role: 'tool' as const, tool_call_id: part.toolCallId, content: resultOf(part.output) }]
          : [],
      );
  }
};

/** A conversation of the SDK in the service's form. */
export const toMessages = (prompt: LanguageModelV4Prompt): Message[] => prompt.flatMap(messagesOf);
