import { Module } from '@nestjs/common';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { MarginsModule } from '#money/margins/margins.module';
import { MediaModule } from '#platform/media/media.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { ProvidersModule } from '#models/providers/providers.module';
import { AnswerScreening } from './answer-screening';
import { ChatController } from './chat.controller';
import { ChatScreening } from './chat-screening';
import { ChatPricer } from './chat.pricer';
import { ChatService } from './chat.service';
import { CompletionsController } from './completions/completions.controller';
import { CompletionsPreparer } from './completions/completions.preparer';
import { ConversationImages } from './completions/conversation-images';
import { CompletionsScreening } from './completions/completions-screening';
import {
  CompletionsPricer,
  GenerateContentPricer,
  MessagesPricer,
  ResponsesPricer,
} from './compatible/conversation.pricer';
import { CompletionsService } from './completions/completions.service';
import { Conversations } from './completions/conversations';
import { CountingController } from './counting/counting.controller';
import { TokenCounter } from './counting/token-counter';
import { GenerateContentController } from './generate-content/generate-content.controller';
import { MessagesController } from './messages/messages.controller';
import { ModelListsController } from './model-lists/model-lists.controller';
import { ResponsesController } from './responses/responses.controller';
import { TextSubmission } from './text-submission';

@Module({
  imports: [BillingModule, CatalogModule, MarginsModule, MediaModule, ProvidersModule, TelemetryModule],
  controllers: [
    ChatController,
    CompletionsController,
    CountingController,
    GenerateContentController,
    MessagesController,
    ModelListsController,
    ResponsesController,
  ],
  providers: [
    AnswerScreening,
    ChatPricer,
    ChatScreening,
    ChatService,
    ConversationImages,
    CompletionsPreparer,
    CompletionsPricer,
    CompletionsScreening,
    CompletionsService,
    Conversations,
    GenerateContentPricer,
    MessagesPricer,
    ResponsesPricer,
    TextSubmission,
    TokenCounter,
  ],
  exports: [CompletionsPricer, MessagesPricer, ResponsesPricer],
})
export class ChatModule {}
