import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '#people/accounts/accounts.module';
import { BillingModule } from '#money/billing/billing.module';
import { DelegationModule } from '#people/delegation/delegation.module';
import { KeysModule } from '#people/keys/keys.module';
import { OrganisationsModule } from '#people/organisations/organisations.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';
import { AccessTokens } from './access-tokens';
import { AppKeys } from './app-keys';
import { AuthorizationServer } from './authorization-server';
import { ClientDocuments } from './client-documents';
import { ConsentController } from './consent.controller';
import { ConsentService } from './consent.service';
import { MetadataController } from './metadata.controller';
import { OauthAddresses } from './oauth-addresses';
import { OauthController } from './oauth.controller';
import { OauthRow } from './oauth-row.entity';
import { OauthRowRepository } from './oauth-row.repository';
import { OauthSweepProcessor } from './oauth-sweep.processor';

/** OAuth 2.1: a person connects an app, which may then spend a limited amount for a limited time. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    DatabaseModule,
    DelegationModule,
    HttpModule,
    KeysModule,
    OrganisationsModule,
    SweepPausesModule,
    TypeOrmModule.forFeature([OauthRow]),
  ],
  controllers: [ConsentController, MetadataController, OauthController],
  providers: [
    AccessTokens,
    AppKeys,
    AuthorizationServer,
    ClientDocuments,
    ConsentService,
    OauthAddresses,
    OauthRowRepository,
    OauthSweepProcessor,
  ],
  exports: [AccessTokens, OauthAddresses],
})
export class OauthModule {}
