import type { HeldResult } from '#models/providers/media/held-result.entity';
import type { HeldResults, MadePictures } from '#models/providers/media/held-result.repository';

interface Held extends MadePictures {
  readonly state: 'waiting' | 'kept' | 'failed';
}

/** Keeps pictures without a database, for one process. */
export class HeldInMemory implements Pick<
  HeldResults,
  'open' | 'await' | 'keep' | 'fail' | 'forget' | 'idOf' | 'take'
> {
  private readonly rows = new Map<string, Held>();

  open(ourId: string): Promise<string> {
    const id = `held_${ourId}`;
    this.rows.set(id, { state: 'waiting', pictures: [] });
    return Promise.resolve(id);
  }

  await(): Promise<void> {
    return Promise.resolve();
  }

  keep(id: string, made: MadePictures): Promise<void> {
    this.rows.set(id, { state: 'kept', ...made });
    return Promise.resolve();
  }

  fail(id: string): Promise<void> {
    this.rows.set(id, { state: 'failed', pictures: [] });
    return Promise.resolve();
  }

  forget(id: string): Promise<void> {
    this.rows.delete(id);
    return Promise.resolve();
  }

  idOf(ourId: string): Promise<string | undefined> {
    const id = `held_${ourId}`;
    return Promise.resolve(this.rows.has(id) ? id : undefined);
  }

  take(id: string): Promise<HeldResult | undefined> {
    const row = this.rows.get(id);
    if (row === undefined) return Promise.resolve(undefined);
    const { state, pictures, cost } = row;
    return Promise.resolve({ id, state, awaited: true, data: pictures[0], cost } as unknown as HeldResult);
  }
}
