import { Sha256Node } from '@smithy/core/checksum';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';

import { type Received, type Said, FakeTextServer, VENDOR_WORDS } from './fake-text-server';
import type { FakeReply, FakeRequest } from './fake-provider';

interface Block {
  readonly text?: string;
  readonly image?: { readonly format: string };
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: object };
  readonly toolResult?: { readonly toolUseId: string; readonly content: readonly Block[] };
}

interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

/** One message of an event stream. */
interface Event {
  readonly type: string;
  readonly kind?: 'exception';
  readonly payload: object;
}

const FIELDS: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
]);

const REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
} as const;

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** The Converse API of Amazon Bedrock. It checks the signature of each request. */
export class FakeBedrock extends FakeTextServer {
  static readonly KEY_ID = 'FAKE-ACCESS-KEY-ID';
  protected override readonly streamType = 'application/vnd.amazon.eventstream';
  protected readonly trouble: Event = {
    kind: 'exception',
    type: 'throttlingException',
    payload: { message: VENDOR_WORDS },
  };

  static start(): Promise<FakeBedrock> {
    return new FakeBedrock().start();
  }

  get env(): Readonly<Record<string, string>> {
    return {
      BEDROCK_BASE_URL: this.origin,
      BEDROCK_ACCESS_KEY_ID: FakeBedrock.KEY_ID,
      BEDROCK_SECRET_ACCESS_KEY: this.key,
    };
  }

  get received(): Received {
    const body = this.bodies.at(-1) as unknown as {
      model: string;
      messages: readonly Message[];
      system?: readonly Block[];
      inferenceConfig: { readonly maxTokens: unknown; readonly stopSequences?: readonly string[] };
      toolConfig?: { readonly tools: readonly { readonly toolSpec: { readonly name: string } }[] };
      outputConfig?: {
        readonly textFormat: { readonly structure: { readonly jsonSchema: { readonly schema: string } } };
      };
    };
    const names = new Map<string, string>();
    const schema = body.outputConfig?.textFormat.structure.jsonSchema.schema;
    return {
      model: body.model,
      maxTokens: body.inferenceConfig.maxTokens,
      system: (body.system ?? []).map(({ text }) => text).join(''),
      lines: body.messages.flatMap(({ role, content }) => content.map((block) => lineOf(role, block, names))),
      tools: (body.toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec.name),
      schema: schema === undefined ? undefined : (JSON.parse(schema) as unknown),
      stop: body.inferenceConfig.stopSequences ?? [],
    };
  }

  protected errorBody(_status: number): unknown {
    return { message: `${VENDOR_WORDS} bedrock` };
  }

  protected isKnown({ path }: FakeRequest): boolean {
    return /^\/model\/[^/]+\/converse(-stream)?$/.test(path);
  }

  protected override async answer(request: FakeRequest): Promise<FakeReply> {
    const isSigned = await this.isSigned(request);
    return isSigned ? super.answer(request) : { status: 403, json: this.errorBody(403) };
  }

  /** Signs the request again by the rules of AWS, and compares. */
  private async isSigned({ method, path, headers, body }: FakeRequest): Promise<boolean> {
    const date = String(headers['x-amz-date']).replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    );
    const names = /SignedHeaders=([^,]+)/.exec(String(headers['authorization']))?.[1]?.split(';') ?? [];
    if (Number.isNaN(Date.parse(date)) || !names.includes('host')) return false;
    const credentials = { accessKeyId: FakeBedrock.KEY_ID, secretAccessKey: this.key };
    const signer = new SignatureV4({
      credentials,
      region: 'us-east-1',
      service: 'bedrock',
      sha256: Sha256Node,
    });
    const { protocol, hostname } = new URL(this.origin);
    const said = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    const signed = await signer.sign(
      { method, protocol, hostname, path, headers: said, body },
      { signingDate: new Date(date) },
    );
    return signed.headers['authorization'] === headers['authorization'];
  }

  protected override modelOf({ path }: FakeRequest): string {
    return decodeURIComponent(path.split('/')[2] ?? '');
  }

  protected faultIn(body: Record<string, unknown>): string | undefined {
    const strange = Object.keys(body).find((name) => !FIELDS.has(name));
    if (strange !== undefined) return `extraneous key [${strange}] is not permitted`;
    const messages = body['messages'] as readonly Message[];
    let open: readonly string[] = [];
    for (const { content } of messages) {
      if (content.some(({ text }) => text === '')) return 'The text field in the ContentBlock is blank';
      const answered = content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []);
      if (open.some((id) => !answered.includes(id))) return 'Expected toolResult blocks';
      open = content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
      if (open.some((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id)))
        return 'toolUseId failed to satisfy constraint';
    }
    return undefined;
  }

  protected isStreamed({ path }: FakeRequest): boolean {
    return path.endsWith('-stream');
  }

  protected whole(said: Said): unknown {
    const { texts = [], calls = [], finish = 'stop' } = said;
    return {
      output: {
        message: {
          role: 'assistant',
          content: [
            ...(texts.length === 0 ? [] : [{ text: texts.join('') }]),
            ...calls.map(({ name, input }, at) => ({ toolUse: { toolUseId: `tooluse_${at}`, name, input } })),
          ],
        },
      },
      stopReason: REASONS[finish],
      usage: usageOf(said),
      metrics: { latencyMs: 12 },
    };
  }

  protected events(said: Said): readonly Event[] {
    const { texts = [], calls = [], finish = 'stop' } = said;
    const delta = (contentBlockIndex: number, of: object): Event => ({
      type: 'contentBlockDelta',
      payload: { contentBlockIndex, delta: of },
    });
    return [
      { type: 'messageStart', payload: { role: 'assistant' } },
      ...texts.map((text) => delta(0, { text })),
      { type: 'contentBlockStop', payload: { contentBlockIndex: 0 } },
      ...calls.flatMap(({ name, input }, at): Event[] => {
        const index = at + 1;
        const json = JSON.stringify(input);
        return [
          {
            type: 'contentBlockStart',
            payload: { contentBlockIndex: index, start: { toolUse: { toolUseId: `tooluse_${at}`, name } } },
          },
          delta(index, { toolUse: { input: json.slice(0, 5) } }),
          delta(index, { toolUse: { input: json.slice(5) } }),
          { type: 'contentBlockStop', payload: { contentBlockIndex: index } },
        ];
      }),
      { type: 'messageStop', payload: { stopReason: REASONS[finish] } },
      { type: 'metadata', payload: { usage: usageOf(said), metrics: { latencyMs: 12 } } },
    ];
  }

  protected override encode(data: unknown): Uint8Array {
    const { type, kind, payload } = data as Event;
    const word = (value: string) => ({ type: 'string', value }) as const;
    return codec.encode({
      headers: {
        [kind === undefined ? ':event-type' : ':exception-type']: word(type),
        ':content-type': word('application/json'),
        ':message-type': word(kind ?? 'event'),
      },
      body: fromUtf8(JSON.stringify(payload)),
    });
  }
}

const usageOf = ({ counts }: Said): object | undefined =>
  counts && {
    inputTokens: counts.read,
    outputTokens: counts.written,
    cacheReadInputTokens: counts.cached ?? 0,
    cacheWriteInputTokens: 0,
  };

const lineOf = (role: string, block: Block, names: Map<string, string>): string => {
  const { text, image, toolUse, toolResult } = block;
  if (toolUse !== undefined) {
    names.set(toolUse.toolUseId, toolUse.name);
    return `${role} calls ${toolUse.name} ${JSON.stringify(toolUse.input)}`;
  }
  if (toolResult !== undefined)
    return `tool ${names.get(toolResult.toolUseId)}: ${toolResult.content.map((each) => each.text).join('')}`;
  return image === undefined ? `${role}: ${text}` : `${role} shows image/${image.format}`;
};
