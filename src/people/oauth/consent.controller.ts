import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Person } from '#people/accounts/account.entity';
import { accountLinks } from '#people/accounts/account-links';
import { MAKERS } from '#people/accounts/roles';
import { sessionRule } from '#people/accounts/routes/session-rule';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { AppError } from '#kernel/app-error';
import { SETTINGS } from '#platform/config/settings';
import { describeError } from '#platform/http/answers/error-filter';
import type { HttpSettings } from '#platform/http/http.settings';
import { HttpRoute } from '#platform/http/routes/route';
import { AuthorizationServer } from './authorization-server';
import { consentPage } from './consent-page';
import { type ConsentForm, ConsentService, type SignIn } from './consent.service';
import { type HtmlPage, messagePage } from './oauth-page';

const LIMIT = { limit: 'free', limitedAs: 'oauth|' } as const;

/** The page on which a person allows an app. It needs no script. */
@ApiExcludeController()
@Controller('oauth/consent/:uid')
export class ConsentController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly consent: ConsentService,
    private readonly sessions: SessionAccounts,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get()
  @HttpRoute(LIMIT)
  async page(
    @Param('uid') uid: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const signIn = await this.signInOf(uid, request, reply);
    if (signIn === undefined) return this.ended(reply);
    return this.withProblems(request, reply, async () => {
      const person = await this.sessions.personOf(request);
      if (person !== undefined) return show(reply, await this.pageFor(signIn, person, request));
      const { signIn: page } = accountLinks(this.settings.http.publicUrl);
      return lead(reply, `${page}?next=${encodeURIComponent(`oauth/consent/${uid}`)}`);
    });
  }

  @Post()
  @HttpRoute({ ...LIMIT, form: 'urlencoded', ...sessionRule({ who: MAKERS, needsProof: true }) })
  async decide(
    @Param('uid') uid: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const signIn = await this.signInOf(uid, request, reply);
    if (signIn === undefined) return this.ended(reply);
    const fields = new URLSearchParams(typeof body === 'string' ? body : '');
    const form: ConsentForm = {
      token: fields.get('token') ?? '',
      organisation: fields.get('organisation') ?? '',
      limit: fields.get('limit') ?? '',
      days: fields.get('days') ?? '',
    };
    return this.withProblems(request, reply, async () => {
      const person = await this.sessions.personOf(request);
      if (person === undefined) return this.page(uid, request, reply);
      try {
        const next =
          fields.get('decision') === 'allow'
            ? await this.consent.allow(signIn, form, request, reply)
            : await this.consent.deny(signIn, form, request, reply);
        return lead(reply, next);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        void reply.status(this.statusOf(error, request));
        return show(reply, await this.pageFor(signIn, person, request, form, error.message));
      }
    });
  }

  private async pageFor(
    signIn: SignIn,
    person: Person,
    request: FastifyRequest,
    sent?: ConsentForm,
    problem?: string,
  ): Promise<HtmlPage> {
    return consentPage({
      app: await this.consent.appOf(signIn),
      scope: String(signIn.params['scope']),
      email: person.email,
      organisations: await this.consent.organisationsOf(person),
      token: this.consent.tokenFor(signIn, request),
      connections: `${this.settings.http.publicUrl}/account/connections`,
      topUp: accountLinks(this.settings.http.publicUrl).topUp,
      sent,
      problem,
    });
  }

  private async signInOf(
    uid: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignIn | undefined> {
    const found = await this.server.signIn(request, reply);
    return found?.uid === uid ? found : undefined;
  }

  private ended(reply: FastifyReply): string {
    void reply.status(400);
    return show(reply, messagePage('This sign-in has ended', 'It was decided before, or it took too long.'));
  }

  /** A person gets a page about what is wrong, such as a closed account. */
  private async withProblems<Shown>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<Shown>,
  ): Promise<Shown | string> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      void reply.status(this.statusOf(error, request));
      return show(reply, messagePage('This app could not connect', error.message));
    }
  }

  private statusOf(error: AppError, { id }: FastifyRequest): number {
    return describeError(error, { requestId: id, publicUrl: this.settings.http.publicUrl }).status;
  }
}

const show = (reply: FastifyReply, { html, headers }: HtmlPage): string => {
  void reply.headers(headers);
  return html;
};

const lead = (reply: FastifyReply, location: string): undefined => {
  void reply.status(303).headers({ location, 'cache-control': 'no-store' });
  return undefined;
};
