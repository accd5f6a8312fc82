import { Injectable } from '@nestjs/common';

import { Owners } from '../billing/calls/owners';
import { type PreparedCall, Preparer } from '../billing/calls/preparer';
import { Catalog, type MediaModel } from '../catalog/catalog';
import { optionsOf } from '../catalog/media-pricing';
import type { UsedReference } from '../jobs/job.entity';
import { InvalidRequest } from '../kernel/app-error';
import { MediaIntake, type TakenMedia } from '../platform/media/media-intake';
import { UnsupportedMedia } from '../platform/media/media.errors';
import { ContentPolicy, PolicyBlocked } from '../providers/content-policy';
import { ReferenceLibrary } from '../references/reference-library';
import type { GenerateBody } from './generate.dto';
import { INPUT_NAMES, type InputName, isLonger, modelOf, wantedAs, wantsReferences } from './media-request';
import { ReferencePicks } from './reference-picks';

type Taken = Partial<Record<InputName, TakenMedia>>;

/** The inputs of a call: our own screened copies, which the provider gets. */
export interface PreparedMedia {
  readonly media?: Taken;
  readonly references?: readonly UsedReference[];
}

/** Takes the inputs of a call before any money is held, and fills them from the caller's library on request. */
@Injectable()
export class SourceMedia extends Preparer<GenerateBody, PreparedMedia> {
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

  override isDear({ body }: PreparedCall<GenerateBody>): boolean {
    return (
      this.policy.remote || wantsReferences(body) || INPUT_NAMES.some((name) => body[name] !== undefined)
    );
  }

  async prepare(call: PreparedCall<GenerateBody>, local: boolean): Promise<PreparedMedia> {
    const { body } = call;
    const model = modelOf(this.catalog, body);
    if (!local || !this.policy.remote) {
      const verdict = await this.policy.screenText(body.prompt);
      if (!verdict.allowed) throw new PolicyBlocked('prompt', verdict.category);
    }
    const media: Taken = {};
    try {
      for (const name of INPUT_NAMES) {
        const source = body[name];
        if (source === undefined || (local && !(call.covered === true && /^data:/i.test(source)))) continue;
        media[name] = await this.take(call, name, source);
        this.refuseLonger(model, body, name, media[name]);
        await this.screen(name, media[name], local);
      }
      return wantsReferences(body)
        ? { media, references: await this.attach(call, model, media, local) }
        : { media };
    } catch (error) {
      await this.discard({ media });
      throw error;
    }
  }

  override async discard(input: PreparedMedia | undefined): Promise<void> {
    await Promise.all(Object.values(input?.media ?? {}).map((medium) => medium.discard()));
  }

  private async take(
    { request, payer }: PreparedCall<GenerateBody>,
    name: InputName,
    source: string,
  ): Promise<TakenMedia> {
    try {
      return await this.intake.take(request, source, wantedAs(name), payer?.id ?? '');
    } catch (error) {
      // On these routes 415 is about the body as a whole.
      throw error instanceof UnsupportedMedia ? new InvalidRequest(error.message, { param: name }) : error;
    }
  }

  /** Seconds beyond the billed ones would be unpaid work. */
  private refuseLonger(model: MediaModel, body: GenerateBody, param: string, medium: TakenMedia): void {
    const billed = optionsOf(model, body).seconds;
    if (medium.kind === 'video' && billed !== undefined && isLonger(medium.seconds, billed)) {
      throw new InvalidRequest(
        `${param} is ${(medium.seconds ?? 0).toFixed(1)} seconds long, and duration bills ${billed}; ` +
          'send a shorter clip or choose a longer duration.',
        { param },
      );
    }
  }

  private async screen(name: InputName, medium: TakenMedia, local: boolean): Promise<void> {
    if (local && this.policy.remote) return;
    const verdict =
      medium.kind === 'image'
        ? await this.policy.screenImage(await medium.read(), medium.mime)
        : await this.policy.screenVideo(medium.sha256);
    if (!verdict.allowed) throw new PolicyBlocked(name, verdict.category);
  }

  private async attach(
    call: PreparedCall<GenerateBody>,
    model: MediaModel,
    media: Taken,
    local: boolean,
  ): Promise<readonly UsedReference[]> {
    const { id: owner } = await this.owners.ownerOf(call, 'references');
    const picks = await this.picks.of(owner, model, call.body, local);
    for (const { input, reference } of local ? [] : picks) media[input] = await this.library.copy(reference);
    return picks.map(({ input, reference, score }) => ({
      id: reference.id,
      input,
      score,
    }));
  }
}
