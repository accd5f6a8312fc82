import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { MailModule } from '#platform/mail/mail.module';
import { Account } from './account.entity';
import { OrganisationAudit } from './audit/audit.repository';
import { AccountClosing } from './account-closing.repository';
import { AccountRepository } from './account.repository';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { OwnerProof } from './owner-proof';
import { AnsweredChallenge } from './passkeys/answered-challenge.entity';
import { Passkey } from './passkeys/passkey.entity';
import { PasskeyChallenges } from './passkeys/passkey-challenges';
import { PasskeyRepository } from './passkeys/passkey.repository';
import { PasskeysController } from './passkeys/passkeys.controller';
import { PasskeysService } from './passkeys/passkeys.service';
import { AddressProofRepository } from './proofs/address-proof.repository';
import { AddressProofsController } from './proofs/address-proofs.controller';
import { AddressProofs } from './proofs/address-proofs.service';
import { Passwords } from './passwords';
import { PasswordReset } from './resets/password-reset.entity';
import { PasswordResetRepository } from './resets/password-reset.repository';
import { PasswordResetsController } from './resets/password-resets.controller';
import { PasswordResets } from './resets/password-resets.service';
import { RecoveryCode } from './second-factor/recovery-code.entity';
import { SecondFactor } from './second-factor/second-factor.entity';
import { SecondFactorCheck } from './second-factor/second-factor-check';
import { SecondFactorCodes } from './second-factor/second-factor-codes';
import { SecondFactorController } from './second-factor/second-factor.controller';
import { SecondFactorRepository } from './second-factor/second-factor.repository';
import { SecondFactorReencryption } from './second-factor/second-factor-reencryption';
import { SecondFactorService } from './second-factor/second-factor.service';
import { SecurityMails } from './security-mails';
import { AccountRoutes } from './routes/account-routes';
import { SessionAccounts } from './session-accounts';
import { Session } from './session.entity';
import { SessionRepository } from './session.repository';

/** Accounts and sessions: passwords, second factors, passkeys, forgotten passwords. */
@Module({
  imports: [
    DatabaseModule,
    HttpModule,
    MailModule,
    TypeOrmModule.forFeature([
      Account,
      AnsweredChallenge,
      Passkey,
      PasswordReset,
      RecoveryCode,
      SecondFactor,
      Session,
    ]),
  ],
  controllers: [
    AccountsController,
    AddressProofsController,
    PasskeysController,
    PasswordResetsController,
    SecondFactorController,
  ],
  providers: [
    AccountClosing,
    AccountRepository,
    AccountRoutes,
    AccountsService,
    AddressProofRepository,
    AddressProofs,
    OrganisationAudit,
    OwnerProof,
    PasskeyChallenges,
    PasskeyRepository,
    PasskeysService,
    PasswordResetRepository,
    PasswordResets,
    Passwords,
    SecondFactorCheck,
    SecondFactorCodes,
    SecondFactorRepository,
    SecondFactorReencryption,
    SecondFactorService,
    SecurityMails,
    SessionAccounts,
    SessionRepository,
  ],
  exports: [
    AccountClosing,
    AccountRoutes,
    AccountsService,
    AddressProofs,
    OrganisationAudit,
    OwnerProof,
    PasswordResets,
    SecurityMails,
    SessionAccounts,
  ],
})
export class AccountsModule {}
