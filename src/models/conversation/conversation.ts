import type { Fields } from '#kernel/json';

/** The interface by which a caller sends a conversation. */
export type ChatApi = 'completions' | 'responses' | 'messages' | 'gemini';

/** The place of a value in the caller's body, such as `messages[3].content[0]`. */
export type Path = string;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly at: Path;
}

/** A picture, or a document such as a PDF. */
export interface MediaPart {
  readonly kind: 'image' | 'document';
  /** The caller's source: a `data:` URI or an address. */
  readonly source: string;
  /** The caller's part. */
  readonly sent: Fields;
  readonly at: Path;
}

/** A call of a tool. The APIs of OpenAI send its arguments as text, the other APIs as an object. */
export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Google's proof that its model made the call. */
  readonly signature?: string;
  readonly at: Path;
}

interface ResultPart {
  readonly kind: 'result';
  /** The id of the call. */
  readonly of: string;
  /** The name of the tool, if a call before this result has the id. */
  readonly name: string;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
  readonly at: Path;
}

/** Thoughts of an earlier answer. A block without `isSigned` means nothing to the maker of the model. */
interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly isSigned: boolean;
  readonly at: Path;
}

export type Part = TextPart | MediaPart | CallPart | ResultPart | ReasoningPart;

export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
  readonly at: Path;
  /** Texts that only the API's own vendor reads, such as the title of a document. They are screened. */
  readonly more?: readonly unknown[];
}

/** A tool that the caller runs. */
export interface Tool {
  /** A custom tool takes a text in place of an object. */
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** The namespace of the tool in the caller's body. `name` contains it. */
  readonly within?: { readonly namespace: string; readonly name: string };
  readonly description?: string;
  readonly parameters?: object;
  readonly strict?: boolean;
  readonly at: Path;
  /** Further texts of the tool, such as the grammar of its input. */
  readonly more?: unknown;
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** How the caller wants to be answered. */
export interface AnswerOptions {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly stop: readonly string[];
  readonly effort?: Effort;
  /** `none`, `auto`, `required`, or the one tool that must be called. */
  readonly choice?: 'none' | 'auto' | 'required' | { readonly name: string };
  /** The only tools that the model may call, if `choice` does not name one. */
  readonly allowed?: readonly string[];
  /** False if the model must call one tool at a time. */
  readonly parallel?: boolean;
  /** A schema that the answer follows, or `json` for any object. */
  readonly format?:
    | 'json'
    | {
        readonly schema: object;
        readonly name: string;
        readonly description?: string;
        readonly strict?: boolean;
      };
}

/** A conversation of any API, parsed once. Pricing, screening, images and vendors read this object. */
export interface Conversation {
  readonly api: ChatApi;
  readonly model?: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly options: AnswerOptions;
  readonly images: readonly MediaPart[];
  /** How many documents the conversation has. */
  readonly documents: number;
  /** The caller's body, for a vendor that speaks this API: the allowed fields, without the model and the limit. */
  readonly sent: Fields;
  /** Headers of the caller that only this API's own vendor knows. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths that no vendor gets. */
  readonly ignored: readonly Path[];
  /** Paths that only a vendor that speaks this API gets. */
  readonly own: readonly Path[];
}

/** The names of fields that differ between the APIs. */
type Named =
  | 'turns'
  | 'maxTokens'
  | 'stop'
  | 'format'
  | 'effort'
  | 'parallel'
  | 'choice'
  | 'frequencyPenalty'
  | 'presencePenalty';

const NAMES: Readonly<Record<ChatApi, Readonly<Record<Named, string>>>> = {
  completions: {
    turns: 'messages',
    maxTokens: 'max_tokens',
    stop: 'stop',
    format: 'response_format',
    effort: 'reasoning_effort',
    parallel: 'parallel_tool_calls',
    choice: 'tool_choice',
    frequencyPenalty: 'frequency_penalty',
    presencePenalty: 'presence_penalty',
  },
  responses: {
    turns: 'input',
    maxTokens: 'max_output_tokens',
    stop: 'stop',
    format: 'text.format',
    effort: 'reasoning.effort',
    parallel: 'parallel_tool_calls',
    choice: 'tool_choice',
    frequencyPenalty: 'frequency_penalty',
    presencePenalty: 'presence_penalty',
  },
  messages: {
    turns: 'messages',
    maxTokens: 'max_tokens',
    stop: 'stop_sequences',
    format: 'output_config.format',
    effort: 'output_config.effort',
    parallel: 'tool_choice',
    choice: 'tool_choice',
    frequencyPenalty: 'frequency_penalty',
    presencePenalty: 'presence_penalty',
  },
  gemini: {
    turns: 'contents',
    maxTokens: 'generationConfig.maxOutputTokens',
    stop: 'generationConfig.stopSequences',
    format: 'generationConfig.responseSchema',
    effort: 'generationConfig.thinkingConfig',
    parallel: 'toolConfig',
    choice: 'toolConfig',
    frequencyPenalty: 'generationConfig.frequencyPenalty',
    presencePenalty: 'generationConfig.presencePenalty',
  },
};

/** The name of a field at the caller's API. */
export const nameOf = ({ api }: Pick<Conversation, 'api'>, field: Named): string => NAMES[api][field];
