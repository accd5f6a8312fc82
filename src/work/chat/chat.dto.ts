import { PaidBody } from '#money/billing/calls/paid-body';
import { CHAT_CHARS_MAX, CHAT_MESSAGES_MAX, CHAT_TOKENS_MAX } from '#models/catalog/chat-limits';
import {
  AmountField,
  ChoiceField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';

export class ChatMessageBody {
  @ChoiceField(['system', 'user', 'assistant']) readonly role: 'system' | 'user' | 'assistant';
  @TextField({ max: CHAT_CHARS_MAX, about: `At most ${CHAT_CHARS_MAX} characters in all messages together.` })
  readonly content: string;
}

export class ChatBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @ListField(() => ChatMessageBody, { min: 1, max: CHAT_MESSAGES_MAX })
  readonly messages: readonly ChatMessageBody[];
  @WholeField({
    min: 1,
    max: CHAT_TOKENS_MAX,
    optional: true,
    about: 'The most tokens that the model may answer, and that are billed. Default 1024.',
  })
  readonly max_tokens?: number;
  @NumberField({ min: 0, max: 2, optional: true }) readonly temperature?: number;
  @ChoiceField(['low', 'medium', 'high'], { optional: true, about: 'For models that reason.' })
  readonly reasoning_effort?: 'low' | 'medium' | 'high';
}

export class ChatMessageAnswer {
  @ChoiceField(['assistant']) readonly role: string;
  @TextField({ max: 1_000_000 }) readonly content: string;
}

export class ChatChoice {
  @ObjectField(() => ChatMessageAnswer) readonly message: ChatMessageAnswer;
  @TextField({
    max: 40,
    optional: true,
    about: 'Why the answer ended: stop, length (max_tokens is too small) or content_filter.',
  })
  readonly finish_reason?: string;
}

export class ChatUsage {
  @AmountField() readonly prompt_tokens: number;
  @AmountField() readonly completion_tokens: number;
}

export class ChatAnswer {
  @ListField(() => ChatChoice) readonly choices: readonly ChatChoice[];
  @ObjectField(() => ChatUsage) readonly usage: ChatUsage;
}
