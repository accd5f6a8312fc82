import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { QueryResultRow } from 'pg';
import type { Repository } from 'typeorm';

import { DISTANCE_MAX, nearBands } from '#kernel/perceptual-hash';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { Provenance } from './provenance.entity';

const PROVENANCES = tableOf(Provenance);

/** 64 bits as a signed number, as Postgres stores them. */
export const signed = (hash: bigint | undefined): string | undefined =>
  hash === undefined ? undefined : BigInt.asIntN(64, hash).toString();

/** The origins of files that were made here. They outlive the media. `JobRepository.done` writes them. */
@Injectable()
export class ProvenanceRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Provenance) private readonly provenances: Repository<Provenance>,
  ) {}

  async find(id: string): Promise<Provenance | undefined> {
    return present(await this.provenances.findOneBy({ id }));
  }

  /** The provenance of a file with one of these hashes, in hex. */
  async ofBytes(hashes: readonly string[]): Promise<Provenance | undefined> {
    const row = await this.db.one(
      `select ${PROVENANCES.columns} from provenance
       where sha256 = any(select decode(hash, 'hex') from unnest($1::text[]) as hash) order by created_at limit 1`,
      [hashes],
      'provenance-of-bytes',
    );
    return row && PROVENANCES.read(row);
  }

  /** The provenance of the most similar picture, if one is similar enough. */
  async near(
    hash: bigint,
  ): Promise<{ readonly provenance: Provenance; readonly distance: number } | undefined> {
    const row = await this.db.one<QueryResultRow & { distance: number }>(
      `select ${PROVENANCES.columns}, near.distance from (
         select *, bit_count((perceptual_hash # $1::bigint)::bit(64))::int as distance from provenance
         where perceptual_hash is not null and perceptual_bands(perceptual_hash) && $2::integer[]
       ) as near where near.distance <= $3 order by near.distance, near.created_at limit 1`,
      [signed(hash), nearBands(hash), DISTANCE_MAX],
      'provenance-near',
    );
    return row && { provenance: PROVENANCES.read(row), distance: row.distance };
  }
}
