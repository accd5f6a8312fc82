import { PaidBody } from '#money/billing/calls/paid-body';
import { TextField } from '#platform/http/routes/fields';

export class SampleCaptionsBody extends PaidBody {
  @TextField({ min: 1, max: 2_000, about: 'What is to be shortened to a caption.' }) readonly text: string;
}

export class SampleCaptionsAnswer {
  @TextField({ max: 80 }) readonly caption: string;
}
