import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';

import { EVENT_SEARCHABLE } from '#notices/outbox/event.sql';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { constraintOf } from '#platform/database/error-fields';
import { named } from '#platform/database/named-sql';
import { tableOf } from '#platform/database/table';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import { FreeCount, LibraryCount } from './reference-counts.entity';
import { ReferenceTrash } from './reference-trash.entity';
import type { SearchableReference } from './reference';
import { Reference } from './reference.entity';
import { FREE_HOURS } from './reference-limits';
import { LibraryFull } from './references.errors';
import type { SweptRows } from '#platform/queue/sweep-rows.repository';

const REFERENCES = tableOf(Reference);

export type NewReference = Pick<
  Reference,
  'id' | 'owner' | 'kind' | 'mime' | 'bytes' | 'seconds' | 'label' | 'blobKey' | 'freeCaller'
> & {
  /** The SHA-256 hash in hex. */
  readonly sha256: string;
  /** The call that stores the reference, if that call has an idempotency key. */
  readonly call: IdempotentCall | undefined;
};

export interface DueReferences {
  readonly free: boolean;
  readonly trash: boolean;
  readonly toEmbed: boolean;
}

/** Another call has just taken the last free slot. */
export class NoFreeRoom extends Error {}

/** The row must be written within this time after the blob's name is announced. Later, the blob is deleted. */
const WRITE_SECONDS_MAX = 600;
/** The process that deletes a row also deletes its blob. After this time, another process may delete the blob. */
const DELETE_SECONDS_MAX = 5;
/** The lease of embedding. After it, the reference is due again, because the process may be dead. */
const EMBED_SECONDS_MAX = 60;
const RETRY_SECONDS_MAX = 600;

const HAS_PAID = `exists (select from ledger_entry e
    where e.account_id in ('wallet:' || reference.owner, 'credits:' || reference.owner) and e.kind = 'top_up')
  or exists (select from x402_payer p where p.payer = reference.owner and p.paid_in_micro > 0)`;
const FREE_ENDS = { table: 'reference', key: 'reference.id', order: 'reference.free_until' } as const;
/** Free references of owners who have paid meanwhile. They stay. */
export const PAID_FREE: SweptRows = {
  ...FREE_ENDS,
  step: 'paid-references',
  due: `reference.free_until <= now() and (${HAS_PAID})`,
  act: (keys) =>
    `update reference set free_until = null, free_caller = null where id in (${keys}) returning 1`,
};
/** The other free references, which end after a day. Their blobs are deleted next. */
export const ENDED_FREE: SweptRows = {
  ...FREE_ENDS,
  step: 'free-references',
  due: `reference.free_until <= now() and not (${HAS_PAID})`,
  act: (keys) => `
    with gone as (
      delete from reference where id in (${keys}) returning blob_key
    )
    insert into reference_trash (blob_key, due_at)
    select blob_key, now() + make_interval(secs => ${DELETE_SECONDS_MAX}) from gone
    returning blob_key`,
};

const KEEP = named(
  `with written as (
    select blob_key from reference_trash where blob_key = :blobKey and not sweeping for update
  ), kept as (
    insert into reference (id, owner, kind, mime, bytes, seconds, label, sha256, blob_key, mark, made_by, free_caller,
      free_until)
    select :id, :owner, :kind, :mime, :bytes, :seconds, :label, decode(:sha256, 'hex'), blob_key, :mark, :fingerprint, :freeCaller,
      case when :freeCaller::text is not null then now() + make_interval(hours => ${FREE_HOURS}) end from written
    on conflict do nothing
    returning ${REFERENCES.columns}
  ), wanted as (
    delete from reference_trash t using kept where t.blob_key = kept.blob_key
  )
  select * from kept`,
);

/** The rows of all libraries. Every statement names the owner, except in maintenance. */
@Injectable()
export class ReferenceRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Reference) private readonly references: Repository<Reference>,
    @InjectRepository(ReferenceTrash) private readonly trash: Repository<ReferenceTrash>,
    @InjectRepository(LibraryCount) private readonly libraries: Repository<LibraryCount>,
    @InjectRepository(FreeCount) private readonly free: Repository<FreeCount>,
  ) {}

  ofOwner(owner: string): Promise<Reference[]> {
    return this.references.find({ where: { owner }, order: { createdAt: 'desc', id: 'desc' } });
  }

  async some(owner: string, ids: readonly string[]): Promise<Reference[]> {
    const rows = await this.db.rows(
      `select ${REFERENCES.columns} from reference where id = any($2) and owner = $1`,
      [owner, ids],
      'reference-some',
    );
    return rows.map(REFERENCES.read);
  }

  /** Reads only vectors of the given space, because vectors of two embedders are never compared. */
  async vectors(owner: string, space: string): Promise<readonly SearchableReference[]> {
    const rows = await this.db.rows<{ vector: Buffer }>(
      `select ${REFERENCES.columns}, vector from reference where owner = $1 and embedder = $2 and vector is not null`,
      [owner, space],
      'reference-vectors',
    );
    return rows.map((row) => ({ reference: REFERENCES.read(row), vector: row.vector }));
  }

  /** Finds a reference by its id, without its owner. The address that contains the id must have our signature. */
  async find(id: string): Promise<Reference | undefined> {
    return present(await this.references.findOneBy({ id }));
  }

  async withBytes(owner: string, sha256: string): Promise<Reference | undefined> {
    return present(await this.references.findOneBy({ owner, sha256: Buffer.from(sha256, 'hex') }));
  }

  /** The reference of an earlier call with this idempotency key, with that call's fingerprint. */
  async marked(owner: string, mark: string): Promise<Reference | undefined> {
    const row = await this.db.one(
      `select ${REFERENCES.columns}, made_by from reference where owner = $1 and mark = $2`,
      [owner, mark],
      'reference-marked',
    );
    return row && REFERENCES.read(row);
  }

  async count(owner: string): Promise<number> {
    return (await this.libraries.findOneBy({ owner }))?.assets ?? 0;
  }

  /** The number of free references of this owner or from this address, whichever is larger. */
  async mostFree(owner: string, caller: string): Promise<number> {
    return (await this.free.maximum('assets', { holder: In([`owner:${owner}`, `caller:${caller}`]) })) ?? 0;
  }

  /** Which kinds of work are due. The query must be cheap, because it runs often and usually finds nothing. */
  async due(space: string): Promise<DueReferences> {
    const [due] = await this.db.rows<DueReferences>(
      `select exists (select from reference where free_until <= now()) as free,
         exists (select from reference_trash where due_at <= now()) as trash,
         exists (select from reference where embedder < $1 and embed_at <= now())
           or exists (select from reference where embedder > $1 and embed_at <= now()) as "toEmbed"`,
      [space],
      'reference-due',
    );
    return due!;
  }

  /** Records the name of the blob before it is written. */
  async announce(blobKey: string): Promise<void> {
    await this.db.rows(
      `insert into reference_trash (blob_key, due_at)
       values ($1, now() + make_interval(secs => ${WRITE_SECONDS_MAX}))`,
      [blobKey],
      'reference-announce',
    );
  }

  /**
   * Adds the row of a written blob. Returns undefined if the owner already has these bytes or this idempotency key, or
   * if a sweep has taken the blob meanwhile. Throws if the library is full.
   */
  async keep(draft: NewReference): Promise<Reference | undefined> {
    try {
      const row = await this.db.one(
        ...KEEP({
          id: draft.id,
          owner: draft.owner,
          kind: draft.kind,
          mime: draft.mime,
          bytes: draft.bytes,
          seconds: draft.seconds,
          label: draft.label,
          sha256: draft.sha256,
          blobKey: draft.blobKey,
          mark: draft.call?.mark,
          fingerprint: draft.call?.fingerprint,
          freeCaller: draft.freeCaller,
        }),
        'reference-keep',
      );
      return row && REFERENCES.read(row);
    } catch (error) {
      const constraint = constraintOf(error);
      if (constraint === 'reference_free_room') throw new NoFreeRoom();
      throw constraint === 'reference_library_room' ? new LibraryFull() : error;
    }
  }

  /**
   * Deletes the row and the vector, and keeps the blob's name until the blob is deleted. Returns undefined if the
   * reference does not belong to the owner.
   */
  async remove(owner: string, id: string): Promise<string | undefined> {
    const row = await this.db.one<{ blob_key: string }>(
      `with gone as (
         delete from reference where id = $1 and owner = $2 returning blob_key
       )
       insert into reference_trash (blob_key, due_at)
       select blob_key, now() + make_interval(secs => ${DELETE_SECONDS_MAX}) from gone
       returning blob_key`,
      [id, owner],
      'reference-remove',
    );
    return row?.blob_key;
  }

  /**
   * Takes blobs that were not deleted in time, or got no row in time. It marks them, so that a late row can't claim
   * them.
   */
  async takeTrash(limit: number): Promise<readonly string[]> {
    const rows = await this.db.rows<{ blob_key: string }>(
      `update reference_trash set sweeping = true, due_at = now() + interval '1 minute'
       where blob_key in (select blob_key from reference_trash where due_at <= now() order by due_at limit $1)
         and due_at <= now()
       returning blob_key`,
      [limit],
      'reference-take-trash',
    );
    return rows.map(({ blob_key }) => blob_key);
  }

  async forget(blobKey: string): Promise<void> {
    await this.trash.delete({ blobKey });
  }

  /**
   * Takes references that the present embedder has not processed. The two ranges below and above the present space let
   * Postgres use the index. Free references have a separate limit, so that they take no slots from others.
   */
  async takeToEmbed(space: string, isFree: boolean, limit: number): Promise<Reference[]> {
    const due = (compared: string): string =>
      `(select id from reference where embedder ${compared} $1 and embed_at <= now()
        and free_until is ${isFree ? 'not null' : 'null'} order by embedder, embed_at limit $2)`;
    const rows = await this.db.rows(
      `update reference set embed_at = now() + make_interval(secs => ${EMBED_SECONDS_MAX}),
         embed_tries = embed_tries + 1
       where id in (select id from (${due('<')} union all ${due('>')}) as due limit $2) and embed_at <= now()
       returning ${REFERENCES.columns}`,
      [space, limit],
      isFree ? 'reference-take-free-to-embed' : 'reference-take-to-embed',
    );
    return rows.map(REFERENCES.read);
  }

  /**
   * Stores the vector. If it is undefined, the embedder found nothing to embed, and the reference is not tried again.
   */
  async embedded(id: string, space: string, vector: Buffer | undefined): Promise<void> {
    await this.db.rows(
      `with was as (
         select id, embedder from reference where id = $1
       ), seen as (
         update reference r set embedder = $2, vector = $3, embed_at = now(), embed_tries = 0
         from was where r.id = was.id and r.embedder <> $2
         returning r.*, was.embedder = '' as is_first
       ), ${EVENT_SEARCHABLE}
       select id from seen`,
      [id, space, vector],
      'reference-embedded',
    );
  }

  /** Plans the next try. Each pause is twice as long as the previous one. */
  async embedLater(id: string): Promise<void> {
    await this.db.rows(
      `update reference
       set embed_at = now() + make_interval(secs => least(${RETRY_SECONDS_MAX}, power(2, least(embed_tries, 20))))
       where id = $1`,
      [id],
      'reference-embed-later',
    );
  }
}
