import { ifPresent } from '../../kernel/present';
import type { ConversationRequest } from '../../providers/text-provider';
import type { CompletionBody, CompletionMessage } from './completions.dto';

/** Returns the caller's name of a field of the common shape, because each route has its own names. */
export type FieldNames = (param: string) => string;

/** The position of an image in a conversation. */
export interface ImagePosition {
  readonly message: number;
  readonly part: number;
  /** The caller's source: a `data:` URI or an address. */
  readonly source: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string };
}

const partsOf = ({ content }: CompletionMessage): readonly ContentPart[] =>
  Array.isArray(content) ? (content as ContentPart[]) : [];

/** The images of a conversation, in their order. */
export const imagesIn = (body: CompletionBody): readonly ImagePosition[] =>
  body.messages.flatMap((message, at) =>
    partsOf(message).flatMap(({ type, image_url: image }, part) =>
      type === 'image_url' ? [{ message: at, part, source: image?.url ?? '' }] : [],
    ),
  );

/** The named fields of an object, without absent fields. */
const only = <T extends object>(object: T, ...names: readonly (keyof T & string)[]): Fields =>
  Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));

interface ToolCall {
  readonly id?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Tool {
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: object;
    readonly strict?: boolean | null;
  };
}

interface ResponseFormat {
  readonly type?: unknown;
  readonly json_schema?: object;
}

const toolCallOf = (call: ToolCall): Fields => ({
  ...only(call, 'id'),
  type: 'function',
  function: only(call.function, 'name', 'arguments'),
});

const toolOf = (tool: Tool): Fields => ({
  type: 'function',
  function: only(tool.function, 'name', 'description', 'parameters', 'strict'),
});

const choiceOf = (choice: unknown): unknown => {
  const name = (choice as { readonly function?: { readonly name?: unknown } }).function?.name;
  return typeof choice === 'string' ? choice : { type: 'function', function: { name } };
};

/** Returns the address of an image for the forwarded body. */
type ImageName = (message: number, part: number) => string;

/** Gives each image an empty address, because the bytes of images must not count as text. */
const UNNAMED: ImageName = () => '';

const messageOf = (message: CompletionMessage, at: number, nameOf: ImageName): Fields => ({
  ...only(message, 'role', 'content', 'tool_call_id', 'name', 'reasoning_content', 'refusal'),
  ...(Array.isArray(message.content)
    ? {
        content: partsOf(message).map(({ type, text, image_url: image }, part) =>
          type === 'text'
            ? { type, text }
            : { type, image_url: { ...only(image ?? { url: '' }, 'detail'), url: nameOf(at, part) } },
        ),
      }
    : {}),
  ...(message.tool_calls === undefined
    ? {}
    : { tool_calls: (message.tool_calls as readonly ToolCall[]).map(toolCallOf) }),
});

/** The body for the model. It contains only known fields, so the service has counted all that it forwards. */
export const forwarded = (body: CompletionBody, nameOf = UNNAMED): ConversationRequest['body'] => ({
  ...only(
    body,
    'temperature',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'reasoning_effort',
    'parallel_tool_calls',
    'stop',
  ),
  messages: body.messages.map((message, at) => messageOf(message, at, nameOf)),
  tools: (body.tools as readonly Tool[] | undefined)?.map(toolOf),
  tool_choice: ifPresent(body.tool_choice, choiceOf),
  ...(body.response_format === undefined
    ? {}
    : { response_format: only(body.response_format as ResponseFormat, 'type', 'json_schema') }),
});
