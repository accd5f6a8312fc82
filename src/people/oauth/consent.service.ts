import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider' with { 'resolution-mode': 'import' };
import type { InteractionResults } from 'oidc-provider' with { 'resolution-mode': 'import' };

import type { Person } from '#people/accounts/account.entity';
import { NoSuchOrganisation } from '#people/accounts/accounts.errors';
import { OrganisationAudit } from '#people/accounts/audit/audit.repository';
import { MAKERS } from '#people/accounts/roles';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { DelegatedKeysService } from '#people/delegation/delegated-keys.service';
import { InvalidRequest } from '#kernel/app-error';
import { micro, microToJson, usdText } from '#kernel/money';
import { KEY_MADE } from '#people/keys/keys.audit';
import { MemberRepository } from '#people/organisations/member.repository';
import { SigningKeys } from '#platform/config/signing-keys';
import { isPlainText } from '#platform/http/routes/json-schema';
import { AuthorizationServer } from './authorization-server';
import { type ConnectingApp, connectingApp } from './connecting-app';
import { daysIn, limitIn } from './consent-limits';
import type { PayingOrganisation } from './consent-page';
import { ForeignForm } from './oauth.errors';
import { CONNECTED_APP_DAYS, DAY_SECONDS } from './oauth-lifetimes';
import { OauthAddresses } from './oauth-addresses';
import { OauthRowRepository } from './oauth-row.repository';
import { routesOf } from './scopes';

const TOKENS = 'oauth consent';
const NONE = micro(0n);

export type SignIn = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface ConsentForm {
  readonly token: string;
  readonly organisation: string;
  readonly limit: string;
  readonly days: string;
}

/** Lets a person connect an app: it makes the key that the app acts by. */
@Injectable()
export class ConsentService {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly sessions: SessionAccounts,
    private readonly members: MemberRepository,
    private readonly funds: AccountFunds,
    private readonly delegated: DelegatedKeysService,
    private readonly audit: OrganisationAudit,
    private readonly rows: OauthRowRepository,
    private readonly addresses: OauthAddresses,
    private readonly signing: SigningKeys,
  ) {}

  async appOf({ params }: SignIn): Promise<ConnectingApp> {
    const client = await this.server.appOf(String(params['client_id']));
    if (client === undefined)
      throw new InvalidRequest(
        'This app is no longer registered, or its document is away. Connect it again.',
      );
    return connectingApp(client, String(params['redirect_uri']));
  }

  /** The organisations in which the person may make keys, with their balances. */
  async organisationsOf({ id }: Person): Promise<readonly PayingOrganisation[]> {
    const own = (await this.members.allOf(id)).filter((one) => MAKERS.includes(one.role) && !one.isClosed);
    const balances = await this.funds.balances(own.map((one) => creditsAccount(one.id)));
    return own.map((one) => ({
      id: one.id,
      name: one.name,
      balance: balances.get(creditsAccount(one.id)) ?? NONE,
    }));
  }

  /** Proves that a form comes from a page that we have sent to the same session, about the same sign-in. */
  tokenFor({ uid }: SignIn, request: FastifyRequest): string {
    return this.signing.mac(TOKENS, this.subjectOf(uid, request)).toString('base64url');
  }

  private requireToken({ uid }: SignIn, request: FastifyRequest, token: string): void {
    if (!this.signing.isMac(TOKENS, this.subjectOf(uid, request), Buffer.from(token, 'base64url')))
      throw new ForeignForm();
  }

  private subjectOf(uid: string, request: FastifyRequest): string {
    return `${uid} ${this.sessions.hashesOf(request)[0]?.toString('hex') ?? ''}`;
  }

  /** Makes the app's key, and returns the address at which the sign-in continues. */
  async allow(
    signIn: SignIn,
    form: ConsentForm,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    this.requireToken(signIn, request, form.token);
    if (!isPlainText(form.organisation)) throw new NoSuchOrganisation('organisation');
    const acting = await this.sessions.requireActing(request, form.organisation);
    const [limit, days] = [limitIn(form.limit), daysIn(form.days)];
    const { name, host } = await this.appOf(signIn);
    const scope = String(signIn.params['scope']);
    const keyId = await this.delegated.createForApp(acting, {
      app: { name, host },
      limitMicro: microToJson(limit),
      expiresInSeconds: days * DAY_SECONDS,
      scopes: { routes: routesOf(scope) },
      mark: signIn.uid,
    });
    await this.audit.add({
      organisationId: acting.organisation.id,
      actorId: acting.person.id,
      action: KEY_MADE.name,
      subject: keyId,
      detail: `, with $${usdText(limit)} for the app ${name}`,
      requestId: request.id,
      ip: request.ip,
    });
    const clientId = String(signIn.params['client_id']);
    const { provider } = this.server;
    const grant = new provider.Grant({ accountId: keyId, clientId });
    grant.addResourceScope(this.addresses.resource, scope);
    const grantId = await grant.save();
    await this.rows.keepApp(clientId, CONNECTED_APP_DAYS);
    const result = { login: { accountId: keyId, remember: false }, consent: { grantId } };
    return this.end(result, request, reply);
  }

  deny(signIn: SignIn, form: ConsentForm, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    this.requireToken(signIn, request, form.token);
    const result = { error: 'access_denied', error_description: 'The person did not allow it.' };
    return this.end(result, request, reply);
  }

  private end(result: InteractionResults, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    return this.server.provider.interactionResult(request.raw, reply.raw, result, {
      mergeWithLastSubmission: false,
    });
  }
}
