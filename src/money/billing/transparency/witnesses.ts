import { createPublicKey, verify } from 'node:crypto';

import { Inject, Injectable, Logger } from '@nestjs/common';

import { OriginClient } from '#platform/http/outgoing/origin-client';
import { consistencyProof } from './merkle-tree';
import { type Verifier, noteText, parseVerifierKey } from '#platform/signatures/signed-note';
import { TransparencyRepository } from './transparency.repository';
import { SETTINGS } from '#platform/config/settings';
import { getOrMake } from '#kernel/maps';
import type { TransparencySettings } from './transparency.settings';

const ANSWER_MS = 5_000;
const ANSWER_BYTES_MAX = 16 * 1024;
/**
 * The most requests to a witness for one checkpoint. The second request follows an answer with the size that the
 * witness knows.
 */
const TRIES = 2;

/** The bytes before the 32 bytes of a public Ed25519 key in an SPKI. */
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
const TIME_BYTES = 8;

interface Witness {
  readonly url: string;
  readonly verifier: Verifier;
}

interface WitnessState {
  readonly client: OriginClient;
  readonly path: string;
  /** The last size that the witness has cosigned, as far as this process knows. */
  known: number;
  /** The last log and size for which this process has a cosignature. */
  has: string;
}

/** Whether a line is a cosignature of this checkpoint by this witness, by C2SP tlog-cosignature. */
const isCosignature = (line: string, note: string, { name, id, publicBytes }: Verifier): boolean => {
  const [, by, encoded = ''] = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (by !== name || bytes.length !== 4 + TIME_BYTES + 64 || !bytes.subarray(0, 4).equals(id)) return false;
  const time = bytes.readBigUInt64BE(4);
  const key = createPublicKey({
    key: Buffer.concat([SPKI_ED25519, publicBytes]),
    format: 'der',
    type: 'spki',
  });
  return verify(
    null,
    Buffer.from(`cosignature/v1\ntime ${time}\n${noteText(note)}`),
    key,
    bytes.subarray(4 + TIME_BYTES),
  );
};

/** Asks the operator's witnesses to cosign the newest checkpoint. The log does not depend on their answers. */
@Injectable()
export class Witnesses {
  private readonly logger = new Logger(Witnesses.name);
  private readonly states = new Map<string, WitnessState>();
  private readonly witnesses: readonly Witness[];

  constructor(
    private readonly log: TransparencyRepository,
    @Inject(SETTINGS) { witnesses }: TransparencySettings,
  ) {
    this.witnesses = witnesses.map(({ url, key }) => ({ url, verifier: parseVerifierKey(key)! }));
  }

  async cosign(): Promise<void> {
    if (this.witnesses.length === 0) return;
    const log = await this.log.current();
    if (log?.note === undefined) return;
    const { id, publishedSize: size, note } = log;
    await Promise.all(
      this.witnesses.map(async (witness) => {
        const state = this.stateOf(witness);
        if (state.has === `${id}/${size}`) return;
        try {
          const line = await this.ask(witness, state, { id, size, note });
          await this.log.cosign(id, size, `${line}\n`);
          state.has = `${id}/${size}`;
          state.known = size;
        } catch (error) {
          this.logger.warn(
            `The witness ${witness.verifier.name} has not cosigned: ${(error as Error).message}`,
          );
        }
      }),
    );
  }

  private stateOf({ url, verifier }: Witness): WitnessState {
    const name = `${verifier.name}+${verifier.id.toString('hex')}`;
    return getOrMake(this.states, name, () => {
      const at = new URL(`${url.replace(/\/+$/, '')}/add-checkpoint`);
      const client = new OriginClient(at, { connections: 1, connectMsMax: ANSWER_MS });
      return { client, path: at.pathname, known: 0, has: '' };
    });
  }

  private async ask(
    { verifier }: Witness,
    state: WitnessState,
    { id, size, note }: { readonly id: number; readonly size: number; readonly note: string },
  ): Promise<string> {
    const own = note
      .split('\n')
      .filter((line) => !line.startsWith(`— ${verifier.name} `))
      .join('\n');
    for (let tries = 0; tries < TRIES; tries += 1) {
      const old = Math.min(state.known, size);
      const proof = await consistencyProof(this.log.readTiles(id), old, size);
      const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
      const answer = await state.client.ask({
        path: state.path,
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `old ${old}\n${lines}\n${own}`,
        signal: AbortSignal.timeout(ANSWER_MS),
        headersMsMax: ANSWER_MS,
        silenceMsMax: ANSWER_MS,
        bytesMax: ANSWER_BYTES_MAX,
      });
      const text = answer.bytes.toString();
      if (answer.status === 200) {
        const line = text.split('\n').find((one) => isCosignature(one, note, verifier));
        if (line === undefined) throw new Error('its answer holds no signature of its key');
        return line;
      }
      const reported = /^(0|[1-9]\d{0,15})\n$/.exec(text)?.[1];
      if (answer.status !== 409 || reported === undefined || Number(reported) > size)
        throw new Error(`it answers ${answer.status}`);
      state.known = Number(reported);
    }
    throw new Error('it does not take the size that it names itself');
  }
}
