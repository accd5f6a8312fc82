import { CHARGE_STATES } from '../billing/charges/charge.entity';
import {
  ChoiceField,
  ListField,
  NumberField,
  TextField,
  WhenField,
  WholeField,
} from '../platform/http/routes/fields';

export class UsedReferenceAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['image', 'image2', 'video'], { about: 'The input that it stands in for.' })
  readonly input: string;
  @NumberField({
    min: -1,
    max: 1,
    optional: true,
    about: 'How close it is to the prompt; absent where it was pinned.',
  })
  readonly score?: number;
}

export class JobAnswer {
  @ChoiceField(['running', 'done', 'failed']) readonly status: string;
  @TextField({ max: 500, optional: true, about: 'Where the medium is, once it is done.' })
  readonly url?: string;
  @TextField({ max: 500, optional: true, about: 'Why it failed.' }) readonly error?: string;
  @TextField({ max: 100 }) readonly modelId: string;
  @ChoiceField(['image', 'video']) readonly kind: string;
  @WholeField({ min: 0, max: 100, optional: true, about: 'Percent.' }) readonly progress?: number;
  @ListField(() => UsedReferenceAnswer, {
    optional: true,
    about: 'Which references it works from, where the call asked for any.',
  })
  readonly references?: readonly UsedReferenceAnswer[];
  @ChoiceField([...CHARGE_STATES, 'none']) readonly chargeState: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly finishedAt?: string;
}

export class ListedJob extends JobAnswer {
  @TextField({ max: 60 }) readonly id: string;
}

export class JobListAnswer {
  @ListField(() => ListedJob, { about: 'Newest first.' }) readonly jobs: readonly ListedJob[];
}
