import { ChoiceField, ListField, TextField, WhenField, WholeField } from '../platform/http/fields';

export class JobAnswer {
  @ChoiceField(['running', 'done', 'failed']) readonly status: string;
  @TextField({ max: 500, optional: true, about: 'Where the medium is, once it is done.' })
  readonly url?: string;
  @TextField({ max: 500, optional: true, about: 'Why it failed.' }) readonly error?: string;
  @TextField({ max: 100 }) readonly modelId: string;
  @ChoiceField(['image', 'video']) readonly kind: string;
  @WholeField({ min: 0, max: 100, optional: true, about: 'Percent.' }) readonly progress?: number;
  @ChoiceField(['held', 'settling', 'charged', 'refunded', 'released', 'none']) readonly chargeState: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly finishedAt?: string;
}

export class ListedJob extends JobAnswer {
  @TextField({ max: 60 }) readonly id: string;
}

export class JobListAnswer {
  @ListField(() => ListedJob, { about: 'Newest first.' }) readonly jobs: readonly ListedJob[];
}
