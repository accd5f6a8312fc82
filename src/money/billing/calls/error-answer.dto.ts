import {
  ChoiceField,
  FlagField,
  ObjectField,
  SchemaField,
  TEXT_OR_NULL,
  TextField,
} from '#platform/http/routes/fields';

export class ErrorBody {
  @TextField({ max: 2_000, about: 'A text that says what is wrong and what to do.' })
  readonly message: string;
  @ChoiceField([
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'payment_required',
    'not_found',
    'conflict',
    'rate_limited',
    'policy_violation',
    'region_unavailable',
    'provider_error',
    'unavailable',
    'internal_error',
  ])
  readonly type: string;
  @TextField({ max: 100, about: 'Stable, for programs: `UNKNOWN_MODEL`.' }) readonly code: string;
  @SchemaField({ about: 'The field at fault.' }, TEXT_OR_NULL)
  readonly param: string | null;
  @TextField({ max: 100 }) readonly requestId: string;
  @TextField({ max: 40, optional: true, about: "Only on generateContent: Google's word for the status." })
  readonly status?: string;
  @FlagField({ about: 'Whether the same request may succeed later.' }) readonly retryable: boolean;
}

const Link = (about: string): PropertyDecorator => TextField({ max: 500, optional: true, about });

/** The envelope of every failure, with links to the next step. */
export class ErrorAnswer {
  @ObjectField(() => ErrorBody) readonly error: ErrorBody;
  @SchemaField(
    {
      optional: true,
      about: 'Your body with the one change that makes it valid, where there is such a change.',
    },
    { type: 'object' },
  )
  readonly fix?: Readonly<Record<string, unknown>>;
  @ChoiceField(['error'], { optional: true, about: 'Only on /v1/messages, as its clients expect it.' })
  readonly type?: string;
  @TextField({
    max: 100,
    optional: true,
    about: 'Only on /v1/messages: the `requestId` under the name that its clients expect.',
  })
  readonly request_id?: string;
  @Link('The page on which to add money.') readonly topUp?: string;
  @Link('The page on which keys are made and changed.') readonly manageKeys?: string;
  @Link('The page on which to sign in.') readonly signIn?: string;
  @Link('A page about the meaning of this code and its remedy.') readonly docs?: string;
  @TextField({ max: 100, optional: true, about: 'The model that replaces a retired one.' })
  readonly replacedBy?: string;
}
