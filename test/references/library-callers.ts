import { randomBytes } from 'node:crypto';

import sharp from 'sharp';

import { filmPrompt } from '#models/providers/sandbox/film';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { Answer, World } from '../support/world';

export const dataUri = (mime: string, bytes: Buffer): string =>
  `data:${mime};base64,${bytes.toString('base64')}`;

/** A picture of one colour with a random corner, so that no two are equal. */
export const picture = (background: string, corner = randomBytes(3)): Promise<Buffer> =>
  sharp({ create: { width: 24, height: 24, channels: 3, background } })
    .composite([{ input: corner, raw: { width: 1, height: 1, channels: 3 }, left: 0, top: 0 }])
    .png()
    .toBuffer();

export const pictureUri = async (background = 'red'): Promise<string> =>
  dataUri('image/png', await picture(background));

export const clip = (seconds: number, name = randomBytes(4).toString('hex')): Promise<Buffer> =>
  filmPrompt(name, 32, 32, seconds);

export const clipUri = async (seconds = 1): Promise<string> => dataUri('video/mp4', await clip(seconds));

/** An owner of a library, with any kind of credential. */
export interface LibraryCaller {
  readonly owner: string;
  headers(): Promise<Readonly<Record<string, string>>>;
}

export const keyCaller = async (world: World, credits = 50_000_000n): Promise<LibraryCaller> => {
  const { key, accountId } = await KeyCaller.register(world, credits);
  return { owner: accountId, headers: () => Promise.resolve({ 'x-api-key': key }) };
};

export const walletCaller = async (world: World, balance = 50_000_000n): Promise<LibraryCaller> => {
  const wallet = new WalletCaller();
  if (balance > 0n) await wallet.fund(world, balance);
  return {
    owner: wallet.wallet.toLowerCase(),
    headers: async () => ({ 'sign-in-with-x': await wallet.signIn(world) }),
  };
};

const sessionCaller = async (world: World): Promise<LibraryCaller> => {
  const { cookie, accountId } = await KeyCaller.register(world, 50_000_000n);
  const { origin } = new URL(world.settings.http.publicUrl);
  return { owner: accountId, headers: () => Promise.resolve({ cookie, origin }) };
};

/** One row for each kind of credential that proves an owner. */
export const EVERYBODY = [
  ['a key', keyCaller],
  ['a wallet', walletCaller],
  ['a session', sessionCaller],
] as const;

/** The calls of owners to their library. */
export class Library {
  constructor(
    readonly world: World,
    readonly caller: LibraryCaller,
  ) {}

  async list(): Promise<Answer> {
    return this.world.get('/v1/agent/references', await this.caller.headers());
  }

  async search(q: string, limit?: number): Promise<Answer> {
    const query = new URLSearchParams({ q, ...(limit === undefined ? {} : { limit: String(limit) }) });
    return this.world.get(`/v1/agent/references/search?${query.toString()}`, await this.caller.headers());
  }

  async store(media: unknown, label?: unknown): Promise<Answer> {
    return this.world.post('/v1/agent/references', { media, label }, await this.caller.headers());
  }

  async delete(id: string): Promise<Answer> {
    return this.world.send({
      method: 'DELETE',
      url: `/v1/agent/references/${id}`,
      headers: await this.caller.headers(),
    });
  }

  async generate(body: object): Promise<Answer> {
    return this.world.post('/v1/agent/generate', body, await this.caller.headers());
  }

  /** Stores a medium and returns its id. */
  async keep(media: string, label?: string): Promise<string> {
    const { status, body } = await this.store(media, label);
    if (status !== 201) throw new Error(`It was not stored: ${JSON.stringify(body)}`);
    return body.asset.id as string;
  }

  untilSearchable(): Promise<void> {
    return expectEventually(async () =>
      (await this.list()).body.refs.every((ref: { vectorReady: number }) => ref.vectorReady === 1),
    );
  }
}
