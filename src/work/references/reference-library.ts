import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { ProvenOwner } from '#money/billing/calls/owners';
import { newId } from '#kernel/ids';
import { Guest, TooMuchForGuests } from '#kernel/slots';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import { BodyNotKept } from '#platform/http/body/body.errors';
import { MediaTooLarge } from '#platform/http/outgoing/safe-fetch.errors';
import { MediaIntake, type TakenMedia } from '#platform/media/media-intake';
import { BlobStore } from '#platform/storage/blob-store';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import { Embedder } from '#models/providers/embedder';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';
import type { MatchedReference, SearchableReference } from './reference';
import { LIBRARY_MAX } from './reference-limits';
import type { Reference } from './reference.entity';
import { type Allowance, ReferenceAllowances } from './reference-allowances';
import { NoFreeRoom, ReferenceRepository } from './reference.repository';
import { LibraryFull, MediaRejected, ReferenceNotFound, ReferenceNotKept } from './references.errors';
import { cosine } from './vectors';

/** The library of an owner: storing, searching and deleting. */
@Injectable()
export class ReferenceLibrary {
  private readonly logger = new Logger(ReferenceLibrary.name);

  constructor(
    private readonly references: ReferenceRepository,
    private readonly intake: MediaIntake,
    private readonly policy: ContentPolicy,
    private readonly blobs: BlobStore,
    private readonly embedder: Embedder,
    private readonly free: ReferenceAllowances,
  ) {}

  /** Whether a search sends its text to an outside service. */
  get searchesOutside(): boolean {
    return this.embedder.remote;
  }

  /** Whether the reference has a vector of the present embedder. */
  isSearchable({ embedder, hasVector }: Reference): boolean {
    return hasVector && embedder === this.embedder.space;
  }

  list(owner: string): Promise<readonly Reference[]> {
    return this.references.ofOwner(owner);
  }

  /** Stores an asset. If the bytes are stored already, it returns the existing asset, with its label. */
  async add(
    who: ProvenOwner,
    request: FastifyRequest,
    { media, label }: { readonly media: string; readonly label?: string },
    call?: IdempotentCall,
  ): Promise<Reference> {
    const { id: owner } = who;
    const allowed = await this.free.allowance(who, request);
    const taken = await this.take(request, media, owner, allowed);
    try {
      const known = await this.references.withBytes(owner, taken.sha256);
      if (known !== undefined) return known;
      // Only the database can decide reliably. This earlier check only avoids work in clear cases.
      if ((await this.references.count(owner)) >= LIBRARY_MAX) throw new LibraryFull();
      await this.screen(taken, label);
      return await this.store(owner, taken, label, call, allowed);
    } finally {
      await taken.discard();
    }
  }

  /** The reference that an earlier call with the same idempotency key has stored; undefined if there is none. */
  async storedBy(owner: string, { mark, fingerprint }: IdempotentCall): Promise<Reference | undefined> {
    const first = await this.references.marked(owner, mark);
    if (first !== undefined && first.madeBy?.equals(fingerprint) !== true) throw new IdempotencyMismatch();
    return first;
  }

  async delete(owner: string, id: string): Promise<void> {
    const blobKey = await this.references.remove(owner, id);
    if (blobKey === undefined) throw new ReferenceNotFound();
    await this.dropBlob(blobKey);
  }

  /**
   * The references in the order of the ids. If a reference does not belong to the owner, the caller gets 404 with the name of
   * the caller's field (`paramOf`).
   */
  async pinned(
    owner: string,
    ids: readonly string[],
    paramOf = (at: number): string => `referenceIds[${at}]`,
  ): Promise<readonly Reference[]> {
    const found = ids.length === 0 ? [] : await this.references.some(owner, ids);
    return ids.map((id, at) => {
      const reference = found.find((one) => one.id === id);
      if (reference === undefined) throw new ReferenceNotFound(paramOf(at));
      return reference;
    });
  }

  /** All searchable references of an owner, the most similar first. The search itself is free. */
  async search(owner: ProvenOwner, text: string): Promise<readonly MatchedReference[]> {
    const rows = await this.searchable(owner.id);
    if (rows.length > 0 && this.embedder.remote) await this.free.requirePaid(owner);
    return this.ranked(rows, text);
  }

  /** The references that match the text of a paid call. */
  async matches(owner: string, text: string): Promise<readonly MatchedReference[]> {
    const ranked = await this.ranked(await this.searchable(owner), text);
    return ranked.filter(({ score }) => score >= this.embedder.floor);
  }

  /**
   * Copies the file for a call, so that the call does not fail if the reference is deleted meanwhile. The caller must
   * discard the copy.
   */
  async copy({ blobKey, kind, mime, seconds }: Reference): Promise<TakenMedia> {
    const blob = await this.blobs.get(blobKey);
    if (blob === undefined) throw new ReferenceNotFound();
    return this.intake.copy(blob.stream, { kind, mime, seconds });
  }

  /** Deletes the blobs of references that were just deleted. */
  async dropBlobs(blobKeys: readonly string[]): Promise<void> {
    for (const blobKey of blobKeys) await this.dropBlob(blobKey);
  }

  /** Deletes blobs that a dead process left behind, and repeats failed deletions. */
  async emptyTrash(limit: number): Promise<void> {
    await this.dropBlobs(await this.references.takeTrash(limit));
  }

  private searchable(owner: string): Promise<readonly SearchableReference[]> {
    return this.references.vectors(owner, this.embedder.space);
  }

  private async ranked(
    rows: readonly SearchableReference[],
    text: string,
  ): Promise<readonly MatchedReference[]> {
    if (rows.length === 0) return [];
    const vector = await this.embedder.embedText(text);
    return rows
      .map(({ reference, vector: stored }) => ({ reference, score: rounded(cosine(vector, stored)) }))
      .sort((a, b) => b.score - a.score);
  }

  /** Takes in the file. If it exceeds a limit of the free tier, the error asks for a payment. */
  private async take(
    request: FastifyRequest,
    media: string,
    owner: string,
    allowed: Allowance,
  ): Promise<TakenMedia> {
    try {
      const { bytesMax, freeCaller } = allowed;
      const wanted = { param: 'media', kinds: ['image', 'video'], bytesMax } as const;
      const user = freeCaller === undefined ? owner : new Guest(owner);
      return await this.intake.take(request, media, wanted, user);
    } catch (error) {
      const isTooMuch =
        error instanceof MediaTooLarge || error instanceof BodyNotKept || error instanceof TooMuchForGuests;
      throw allowed.freeCaller !== undefined && isTooMuch ? this.free.spent(error) : error;
    }
  }

  private async screen(taken: TakenMedia, label: string | undefined): Promise<void> {
    const verdict = label === undefined ? undefined : await this.policy.screenText(label);
    if (verdict?.allowed === false) throw new MediaRejected('label', verdict.category);
    const seen =
      taken.kind === 'image'
        ? await this.policy.screenImage(await taken.read(), taken.mime)
        : await this.policy.screenVideo(taken.sha256);
    if (!seen.allowed) throw new MediaRejected('media', seen.category);
  }

  private async store(
    owner: string,
    taken: TakenMedia,
    label: string | undefined,
    call: IdempotentCall | undefined,
    { freeCaller }: Allowance,
  ): Promise<Reference> {
    const id = newId('ref');
    const blobKey = `references/${id}`;
    const { kind, mime, bytes, sha256, seconds } = taken;
    await this.references.announce(blobKey);
    await this.blobs.put(blobKey, await taken.open(), { mime });
    const draft = { id, owner, kind, mime, bytes, seconds, label, sha256, blobKey, call, freeCaller };
    const kept = await this.references.keep(draft).catch(async (error: unknown) => {
      // After any other error, the row may exist, so the blob stays in the trash.
      const isFull = error instanceof LibraryFull || error instanceof NoFreeRoom;
      if (isFull) await this.dropBlob(blobKey);
      throw error instanceof NoFreeRoom ? this.free.spent(error) : error;
    });
    if (kept !== undefined) return kept;
    await this.dropBlob(blobKey);
    const asset =
      (await this.references.withBytes(owner, sha256)) ?? (call && (await this.storedBy(owner, call)));
    if (asset === undefined) throw new ReferenceNotKept();
    return asset;
  }

  /** Deletes a blob. If this fails, the blob stays in the trash, and the worker tries again. */
  private async dropBlob(blobKey: string): Promise<void> {
    try {
      await this.blobs.delete(blobKey);
      await this.references.forget(blobKey);
    } catch (error) {
      this.logger.warn(
        { err: error },
        'The blob of a reference could not be deleted yet; the worker retries.',
      );
    }
  }
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;
