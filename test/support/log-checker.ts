import { createHash } from 'node:crypto';

import type { Statement } from '../../clients/typescript/src/answers';
import {
  type Checkpoint,
  type Verifier,
  openCheckpoint,
  verifierOf,
} from '../../clients/typescript/src/checkpoint';
import { type StatementEnd, checkReceipt, checkStatement } from '../../clients/typescript/src/log-proofs';
import { GrowingTree, type Sha256, leafHash, sameBytes } from '../../clients/typescript/src/tree';
import type { World } from './world';

const sha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** Verifies a service's log like a stranger, with only the code of the package. */
export class LogChecker {
  private constructor(
    private readonly world: World,
    readonly address: string,
    readonly origin: string,
    readonly verifiers: readonly Verifier[],
  ) {}

  static async of(world: World): Promise<LogChecker> {
    const { body } = await world.get('/transparency/logs');
    const log = body.logs.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    const verifiers = await Promise.all(
      log.verifierKeys.map((key: string) => verifierOf(sha256, key)) as Promise<Verifier>[],
    );
    return new LogChecker(world, log.address, log.origin, verifiers);
  }

  async checkpoint(): Promise<Checkpoint> {
    const { body } = await this.world.get(`${this.address}/checkpoint`);
    return openCheckpoint(body, this.verifiers);
  }

  async receipt(id: string, headers: Readonly<Record<string, string>>): Promise<Checkpoint> {
    const { body } = await this.world.get(`/v1/agent/charges/${id}`, headers);
    return (await checkReceipt(sha256, body, this.verifiers)).checkpoint;
  }

  /** All pages of a statement, checked. */
  async statement(
    headers: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Statement['entries']> {
    const entries: Statement['entries'][number][] = [];
    let [cursor, end]: [string | undefined, StatementEnd | undefined] = [undefined, undefined];
    do {
      const asked = new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) });
      const { status, body } = await this.world.get(`/v1/agent/statement?${asked}`, headers);
      if (status !== 200) throw new Error(`The statement answers ${status}: ${JSON.stringify(body)}`);
      ({ end } = await checkStatement(sha256, body, this.verifiers, end, query['from']));
      entries.push(...body.entries);
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    return entries;
  }

  /** Reads all entries and computes the root of the tree from them. */
  async log(): Promise<Checkpoint> {
    const checkpoint = await this.checkpoint();
    const tree = new GrowingTree(sha256);
    for (let tile = 0; tree.size < checkpoint.size; tile += 1) {
      const width = Math.min(256, checkpoint.size - tree.size);
      const name = `${String(tile).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`;
      const response = await this.world.app.inject({ url: `${this.address}/tile/entries/${name}` });
      if (response.statusCode !== 200) throw new Error(`The entries ${name} are not there.`);
      const bytes = new Uint8Array(response.rawPayload);
      if (bytes.length !== width * 34) throw new Error(`The entries ${name} have ${bytes.length} bytes.`);
      for (let at = 0; at < bytes.length; at += 34)
        await tree.add(await leafHash(sha256, bytes.slice(at + 2, at + 34)));
    }
    if (!sameBytes(await tree.root(), checkpoint.root)) throw new Error('The entries have another root.');
    return checkpoint;
  }
}
