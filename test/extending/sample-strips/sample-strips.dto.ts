import { PaidBody } from '#money/billing/calls/paid-body';
import { TextField } from '#platform/http/routes/fields';

export class SampleStripsBody extends PaidBody {
  @TextField({ min: 1, max: 2_000, about: 'The text that is painted.' }) readonly text: string;
}

export class StripAnswer {
  @TextField({ max: 500, about: 'Where the image is.' }) readonly url: string;
}
