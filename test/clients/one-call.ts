import type { ServerResponse } from 'node:http';

import type { ChatPiece, Lamppost } from '../../clients/typescript/src/lamppost';
import type { WalletCaller } from '../support/caller';
import { LoopbackServer, type Received } from '../support/loopback-server';

export type Kind =
  | 'image'
  | 'film'
  | 'start'
  | 'chat'
  | 'stream'
  | 'speech'
  | 'transcript'
  | 'batch'
  | 'top-up';

/** The known facts of a call, for its repetition. */
export interface Known {
  charge?: string;
  jobId?: string;
  batch?: string;
}

export interface OneCall {
  readonly kind: Kind;
  readonly tag: string;
  /** The prompt. It may contain instructions for the sandbox. */
  readonly words: string;
  /** The path of a recording. */
  readonly sound?: string;
}

/** The names of the calls of a batch. */
export const LINES = ['first', 'second', 'third'] as const;

/** Makes one call, to its last byte, and returns its charge, or nothing if a part is missing. A batch returns its id. */
export const callOnce = async (
  client: Lamppost,
  { kind, tag, words, sound }: OneCall,
  idempotencyKey: string | undefined,
  known: Known,
): Promise<string> => {
  const options = { tag, idempotencyKey };
  if (kind === 'chat') return (await client.chat(words, options)).charge.id;
  if (kind === 'top-up') return (await client.topUp(1, { idempotencyKey })).charge.id;
  if (kind === 'transcript') return (await client.audio.transcribe(sound!, options)).charge.id;
  if (kind === 'speech') return (await client.audio.speak(words, options)).charge.id;
  if (kind === 'start') {
    if (known.charge === undefined) {
      const { jobId, charge } = await client.start(words, options);
      Object.assign(known, { charge: charge.id, jobId });
    }
    if (known.jobId !== undefined) await client.jobs.wait(known.jobId);
    return known.charge!;
  }
  if (kind === 'batch') {
    const call = { messages: [{ role: 'user', content: words }], max_tokens: 50 };
    const calls = Object.fromEntries(LINES.map((name) => [name, call]));
    known.batch ??= (await client.batches.create(calls, { idempotencyKey })).id;
    await client.batches.wait(known.batch);
    const results = Object.values(await client.batches.results(known.batch));
    const answered = results.filter(({ response }) => response?.status_code === 200);
    return answered.length === LINES.length ? known.batch : '';
  }
  if (kind === 'stream') {
    let last: ChatPiece | undefined;
    for await (const piece of client.stream(words, options)) last = piece;
    return last?.finishReason === 'stop' ? last.charge!.id : '';
  }
  const made = await (kind === 'film' ? client.video(words, options) : client.image(words, options));
  await made.bytes();
  return made.charge.id;
};

/** Signs for the wallets of the Python package. */
export class Signer extends LoopbackServer {
  readonly accounts = new Map<string, WalletCaller['account']>();

  protected override async serve({ body }: Received, response: ServerResponse): Promise<void> {
    const { address, text, ...typed } = JSON.parse(body.toString()) as { address: string; text?: string };
    const account = this.accounts.get(address)!;
    const signed =
      text === undefined
        ? await account.signTypedData({ primaryType: 'TransferWithAuthorization', ...typed } as never)
        : await account.signMessage({ message: text });
    response.end(signed);
  }
}
