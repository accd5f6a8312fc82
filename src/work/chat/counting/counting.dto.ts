import { ApiSchema } from '@nestjs/swagger';

import type { Fields } from '#kernel/json';
import { AmountField, ChoiceField, SchemaField, TextField } from '#platform/http/routes/fields';
import { LIST, OBJECT, TEXT_OR_LIST } from '../compatible/body-fields';

/** A call of `/v1/messages`. Fields that the model does not read are ignored. */
@ApiSchema({ name: 'CountTokensBody' })
export class CountTokensBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @SchemaField({}, LIST) readonly messages: readonly unknown[];
  @SchemaField({ optional: true }, TEXT_OR_LIST) readonly system?: unknown;
  @SchemaField({ optional: true }, LIST) readonly tools?: readonly unknown[];
}

@ApiSchema({ name: 'CountTokensAnswer' })
export class CountTokensAnswer {
  @AmountField() readonly input_tokens: number;
}

/** A call of `/v1/responses`. Fields that the model does not read are ignored. */
@ApiSchema({ name: 'InputTokensBody' })
export class InputTokensBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @SchemaField({ optional: true }, TEXT_OR_LIST) readonly input?: unknown;
  @SchemaField({ optional: true }, LIST) readonly tools?: readonly unknown[];
}

@ApiSchema({ name: 'InputTokensAnswer' })
export class InputTokensAnswer {
  @ChoiceField(['response.input_tokens']) readonly object: string;
  @AmountField() readonly input_tokens: number;
}

@ApiSchema({ name: 'ContentTokensBody' })
export class ContentTokensBody {
  @SchemaField({ optional: true, about: 'The conversation, if it is all that counts.' }, LIST)
  readonly contents?: readonly unknown[];
  @SchemaField({ optional: true, about: 'A whole call of generateContent.' }, OBJECT)
  readonly generateContentRequest?: Fields;
}

@ApiSchema({ name: 'ContentTokensAnswer' })
export class ContentTokensAnswer {
  @AmountField() readonly totalTokens: number;
}
