import { Module } from '@nestjs/common';

import { AccountsModule } from '#people/accounts/accounts.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { MailModule } from '#platform/mail/mail.module';
import { AuditService } from './audit.service';
import { InviteMails } from './invite-mails';
import { InviteRepository } from './invite.repository';
import { MemberRepository } from './member.repository';
import { OrganisationsController } from './organisations.controller';
import { OrganisationsService } from './organisations.service';

/** Several people with one bill: memberships, roles and the audit. */
@Module({
  imports: [AccountsModule, DatabaseModule, HttpModule, MailModule],
  controllers: [OrganisationsController],
  providers: [AuditService, InviteMails, InviteRepository, MemberRepository, OrganisationsService],
  exports: [MemberRepository],
})
export class OrganisationsModule {}
