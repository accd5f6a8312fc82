import { Injectable } from '@nestjs/common';

import { Owners } from '#money/billing/calls/owners';
import type { PaidBody } from '#money/billing/calls/paid-body';
import { type PreparedCall, Preparer } from '#money/billing/calls/preparer';
import { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { optionsOf } from '#models/catalog/media-price-calculator';
import type { UsedReference } from '#work/jobs/job.entity';
import { InvalidRequest } from '#kernel/app-error';
import { MediaIntake, type TakenMedia } from '#platform/media/media-intake';
import { UnsupportedMedia } from '#platform/media/media.errors';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import type { Reference } from '#work/references/reference.entity';
import { ReferenceLibrary } from '#work/references/reference-library';
import { PolicyBlocked } from '#models/providers/policy/policy.errors';
import {
  type MediaAsk,
  type NamedSource,
  type SourceName,
  requestedModel,
  isLonger,
  isReference,
  kindOfInput,
  sourcesIn,
  wantedAs,
  wantsReferences,
} from './media-request';
import { ReferencePicks } from './reference-picks';

type Taken = Partial<Record<Exclude<SourceName, 'sources'>, TakenMedia>> & { sources?: TakenMedia[] };

const keep = (media: Taken, name: SourceName, medium: TakenMedia): void => {
  if (name === 'sources') (media.sources ??= []).push(medium);
  else media[name] = medium;
};

/** The inputs of a call as our own screened copies, which the provider gets. */
export interface PreparedMedia {
  readonly media?: Taken;
  readonly references?: readonly UsedReference[];
}

/**
 * Takes in the inputs of a call before any money is held, and fills empty inputs from the caller's library on request.
 * A subclass reads the inputs from its own form of body.
 */
@Injectable()
export abstract class SourceMedia<Body extends PaidBody> extends Preparer<Body, PreparedMedia> {
  constructor(
    private readonly catalog: Catalog,
    private readonly intake: MediaIntake,
    private readonly policy: ContentPolicy,
    private readonly owners: Owners,
    private readonly library: ReferenceLibrary,
    private readonly picks: ReferencePicks,
  ) {
    super();
  }

  protected abstract askOf(body: Body): MediaAsk;

  override isCostly({ body }: PreparedCall<Body>): boolean {
    const ask = this.askOf(body);
    return this.policy.remote || wantsReferences(ask) || sourcesIn(ask).length > 0;
  }

  async prepare(call: PreparedCall<Body>, local: boolean): Promise<PreparedMedia> {
    const body = this.askOf(call.body);
    const model = requestedModel(this.catalog, body, call.body);
    if (body.prompt !== undefined && (!local || !this.policy.remote)) {
      const verdict = await this.policy.of(model).screenText(body.prompt);
      if (!verdict.allowed) throw new PolicyBlocked('prompt', verdict.category);
    }
    const media: Taken = {};
    try {
      const owner = wantsReferences(body) ? await this.owners.ownerOf(call, 'references') : undefined;
      const sources = sourcesIn(body);
      const own = owner === undefined ? new Map<NamedSource, Reference>() : await this.own(owner.id, sources);
      for (const named of sources) {
        const reference = own.get(named);
        // The price covers only the new part of a continued clip, not the clip itself.
        if (reference !== undefined && named.name !== 'extend')
          this.refuseLonger(model, body, named.param, reference);
        if (local && (reference !== undefined || !(call.covered === true && /^data:/i.test(named.source))))
          continue;
        const medium =
          reference === undefined ? await this.take(call, named) : await this.library.copy(reference);
        keep(media, named.name, medium);
        if (reference !== undefined) continue; // A reference was screened when it was stored.
        if (named.name !== 'extend') this.refuseLonger(model, body, named.param, medium);
        await this.screen(model, named.param, medium, local);
      }
      if (owner === undefined) return { media };
      const named = [...own].map(([{ name }, { id }]) => ({ id, input: name }));
      return { media, references: [...named, ...(await this.attach(owner.id, body, model, media, local))] };
    } catch (error) {
      await this.discard({ media });
      throw error;
    }
  }

  override async discard(input: PreparedMedia | undefined): Promise<void> {
    await Promise.all(
      Object.values(input?.media ?? {})
        .flat()
        .map((medium) => medium.discard()),
    );
  }

  private async take({ request, payer }: PreparedCall<Body>, named: NamedSource): Promise<TakenMedia> {
    try {
      return await this.intake.take(request, named.source, wantedAs(named), payer?.id ?? '');
    } catch (error) {
      // On these routes, a 415 would blame the type of the whole body.
      throw error instanceof UnsupportedMedia
        ? new InvalidRequest(error.message, { param: named.param })
        : error;
    }
  }

  /** Refuses a clip that is longer than the billed duration, because the further seconds would be unpaid work. */
  private refuseLonger(
    model: MediaModel,
    body: MediaAsk,
    param: string,
    medium: Pick<TakenMedia, 'kind' | 'seconds'>,
  ): void {
    const billed = optionsOf(model, body).seconds;
    if (medium.kind === 'video' && billed !== undefined && isLonger(medium.seconds, billed)) {
      throw new InvalidRequest(
        `${param} is ${(medium.seconds ?? 0).toFixed(1)} seconds long, and duration bills ${billed}; ` +
          'send a shorter clip or choose a longer duration.',
        { param },
      );
    }
  }

  private async screen(model: MediaModel, param: string, medium: TakenMedia, local: boolean): Promise<void> {
    if (local && this.policy.remote) return;
    const policy = this.policy.of(model);
    const verdict =
      medium.kind === 'image'
        ? await policy.screenImage(await medium.read(), medium.mime)
        : await policy.screenVideo(medium.sha256);
    if (!verdict.allowed) throw new PolicyBlocked(param, verdict.category);
  }

  /** The references that the call names instead of media. */
  private async own(
    owner: string,
    sources: readonly NamedSource[],
  ): Promise<ReadonlyMap<NamedSource, Reference>> {
    const named = sources.filter(isReference);
    const ids = named.map(({ source }) => source);
    const references = await this.library.pinned(owner, ids, (at) => named[at]!.param);
    return new Map(
      named.map((source, at) => {
        const reference = references[at]!;
        const kind = kindOfInput(source.name);
        if (reference.kind === kind) return [source, reference];
        const { param } = source;
        throw new InvalidRequest(`${param} must be ${kind === 'image' ? 'an image' : 'a video'}.`, { param });
      }),
    );
  }

  private async attach(
    owner: string,
    body: MediaAsk,
    model: MediaModel,
    media: Taken,
    local: boolean,
  ): Promise<readonly UsedReference[]> {
    const picks = await this.picks.of(owner, model, body, local);
    for (const { input, reference } of local ? [] : picks) media[input] = await this.library.copy(reference);
    return picks.map(({ input, reference, score }) => ({
      id: reference.id,
      input,
      score,
    }));
  }
}
