import { Module } from '@nestjs/common';

import { AccountsModule } from '../accounts/accounts.module';
import { DatabaseModule } from '../platform/database/database.module';
import { OrganisationAudit } from './audit.repository';
import { AuditService } from './audit.service';
import { InviteRepository } from './invite.repository';
import { MemberRepository } from './member.repository';
import { OrganisationsController } from './organisations.controller';
import { OrganisationsService } from './organisations.service';

/** Several people with one bill: who belongs together, what they may, and who did what. */
@Module({
  imports: [AccountsModule, DatabaseModule],
  controllers: [OrganisationsController],
  providers: [AuditService, InviteRepository, MemberRepository, OrganisationAudit, OrganisationsService],
  exports: [OrganisationAudit],
})
export class OrganisationsModule {}
