import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '../routes/account-route';
import { EVERYBODY } from '../roles';
import { DoneAnswer } from '../accounts.dto';
import { ForgotBody, ResetAnswer, ResetBody } from '../security.dto';
import { PasswordResets } from './password-resets.service';

/** Routes for people who have forgotten their password. */
@ApiTags('account')
@Controller('v1/account/password')
export class PasswordResetsController {
  constructor(private readonly resets: PasswordResets) {}

  @Post('forgot')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    summary: 'Ask for a mail with a link that sets a new password.',
    description:
      'The answer is the same whether or not there is such an account. The link works once, for an hour.',
    operationId: 'forgotPassword',
    answer: DoneAnswer,
    failures: [400, 403, 409],
  })
  async forgot(@Body() { email }: ForgotBody): Promise<DoneAnswer> {
    await this.resets.forgot(email);
    return { ok: true };
  }

  @Post('reset')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    summary: 'Set a new password with a link. It revokes all sessions.',
    description:
      'This does not sign in: an account with an authenticator app still needs a code of the app for that.',
    operationId: 'resetPassword',
    answer: ResetAnswer,
    failures: [400, 403, 410, 503],
  })
  async reset(@Body() { token, password }: ResetBody): Promise<ResetAnswer> {
    return { ok: true, passkeys: await this.resets.reset(token, password) };
  }
}
