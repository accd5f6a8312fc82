import { Body, Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AccountRoute } from './routes/account-route';
import { EVERYBODY, PERSON } from './roles';
import type { Person } from './account.entity';
import type { Acting } from './acting-person';
import {
  DoneAnswer,
  PasswordBody,
  RegisterBody,
  SessionsAnswer,
  SignInBody,
  SignedInAnswer,
} from './accounts.dto';
import { signedInAnswerFor } from './accounts.answers';
import { AccountsService } from './accounts.service';
import { AddressProofs } from './proofs/address-proofs.service';
import { SessionAccounts } from './session-accounts';
import { SignedIn } from './session.guard';

@ApiTags('account')
@Controller('v1/account')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionAccounts,
    private readonly proofs: AddressProofs,
  ) {}

  @Post('register')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    summary: 'Make an account and sign in.',
    description:
      'If the service sends mail, `proofDue` is true, and the person must open the mailed link before the account gets keys or top-ups.',
    operationId: 'register',
    status: 201,
    answer: SignedInAnswer,
    failures: [400, 403, 409, 503],
  })
  async register(
    @Body() body: RegisterBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInAnswer> {
    return this.answerFor(await this.accounts.register(body, request, reply));
  }

  @Post('sign-in')
  @AccountRoute({
    who: EVERYBODY,
    limit: 'signIn',
    summary: 'Sign in.',
    operationId: 'signIn',
    answer: SignedInAnswer,
    failures: [400, 401, 403, 503],
  })
  async signIn(
    @Body() body: SignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInAnswer> {
    return this.answerFor(await this.accounts.signIn(body, request, reply));
  }

  @Post('sign-out')
  @AccountRoute({
    who: EVERYBODY,
    summary: 'End this session. A repetition changes nothing.',
    operationId: 'signOut',
    answer: DoneAnswer,
    failures: [403],
  })
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DoneAnswer> {
    await this.sessions.end(request, reply);
    return { ok: true };
  }

  @Get('sessions')
  @AccountRoute({
    who: PERSON,
    summary: 'The browsers in which you are signed in.',
    operationId: 'listSessions',
    answer: SessionsAnswer,
    failures: [401, 429],
  })
  async listSessions(
    @SignedIn() { person }: Acting,
    @Req() request: FastifyRequest,
  ): Promise<SessionsAnswer> {
    const sessions = await this.sessions.listOf(person, request);
    return {
      sessions: sessions.map(({ createdAt, expiresAt, ...session }) => ({
        ...session,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
    };
  }

  @Delete('sessions/:id')
  @AccountRoute({
    who: PERSON,
    summary: 'End one of your sessions.',
    operationId: 'endSession',
    answer: DoneAnswer,
    failures: [401, 403, 404, 429],
  })
  async endSession(@SignedIn() { person }: Acting, @Param('id') id: string): Promise<DoneAnswer> {
    await this.sessions.endOne(person, id);
    return { ok: true };
  }

  @Post('password')
  @AccountRoute({
    who: PERSON,
    limit: 'signIn',
    summary: 'Change the password. It revokes all other sessions.',
    operationId: 'changePassword',
    answer: DoneAnswer,
    failures: [400, 401, 403, 429, 503],
  })
  async changePassword(
    @SignedIn() { person }: Acting,
    @Body() body: PasswordBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DoneAnswer> {
    await this.accounts.changePassword(person, body, request, reply);
    return { ok: true };
  }

  private answerFor(person: Person): SignedInAnswer {
    return signedInAnswerFor(person, this.proofs.isDue(person));
  }
}
