import { RequestMethod } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

import { PublishedDocuments } from '#faces/discovery/published-documents';
import { AGENT_API, EVERYBODY, PERSON, ROLES, type Role, type Who } from '#people/accounts/roles';
import { AccountRoutes } from '#people/accounts/routes/account-routes';
import { Browser } from '../support/browser';
import { World } from '../support/world';

describe('what a role may do', () => {
  let world: World;
  const people = new Map<Role, Browser>();

  beforeAll(async () => {
    world = await World.start();
    const owner = await Browser.registered(world);
    await owner.founds();
    people.set('owner', owner);
    for (const role of ROLES.slice(1)) people.set(role, await owner.colleague(role));
  });

  afterAll(() => world.stop());

  const rights = (): readonly (readonly [string, Who])[] =>
    [...world.app.get(AccountRoutes).rights].filter(([line]) => line.includes('/v1/account'));

  const refused = async (role: Role, line: string): Promise<boolean> => {
    const browser = people.get(role)!;
    const [method = '', route = ''] = line.split(' ');
    const url = route.replace(':org', browser.organisation!).replaceAll(/:\w+/g, 'nothing-of-this-name');
    const answer = await browser.send(method as 'GET', url, method === 'GET' ? undefined : {});
    expect(answer.status).not.toBe(500);
    return answer.body.error?.code === 'ROLE_REQUIRED';
  };

  it('is published for every route of the account, and for no other', () => {
    const { paths } = JSON.parse(world.app.get(PublishedDocuments).account) as {
      paths: Record<string, object>;
    };
    const published = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v1/account'))
      .flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
      );

    const others = ['GET /v1/account/openapi.json', 'POST /v1/account/billing/stripe/webhook'];
    expect([...published, ...others].toSorted()).toEqual(
      rights()
        .map(([line]) => line)
        .toSorted(),
    );
    expect(published.length).toBeGreaterThan(60);
  });

  it('leaves an entry in the audit wherever it changes something of an organisation', () => {
    const controllers = [...world.app.get(ModulesContainer).values()].flatMap((module) => [
      ...module.controllers.values(),
    ]);
    const reported = controllers.flatMap(({ metatype }) => {
      const prototype = metatype!.prototype as Record<string, object>;
      const base = String(Reflect.getMetadata('path', metatype!));
      return Object.getOwnPropertyNames(prototype)
        .map((name) => Object.getOwnPropertyDescriptor(prototype, name)!.value as unknown)
        .filter((handler) => typeof handler === 'function')
        .filter((handler) => Reflect.hasMetadata('audited', handler))
        .map((handler) => {
          const method = RequestMethod[Reflect.getMetadata('method', handler) as number];
          const path = String(Reflect.getMetadata('path', handler));
          return `${method} /${base}${path === '/' ? '' : `/${path}`}`;
        });
    });
    const changing = rights()
      .filter(
        ([line, who]) =>
          !/^GET|password|address-proof|sessions|passkeys|second-factor|account\/close/.test(line) &&
          who !== EVERYBODY,
      )
      .map(([line]) => line);

    expect(reported.filter((line) => line.includes('/v1/account')).toSorted()).toEqual(changing.toSorted());
  });

  it.each(ROLES)('is what the routes allow: %s', async (role) => {
    const lines = rights().filter(([, who]) => who !== EVERYBODY);

    const said = lines.map(([line, who]) => [line, who !== PERSON && !who.includes(role as never)]);
    const done: [string, boolean][] = [];
    for (const [line] of lines) done.push([line, await refused(role, line)]);

    expect(done).toEqual(said);
    const { may } = (await people.get(role)!.get('/v1/account')).body.organisation as { may: string[] };
    const allowed = lines.filter(([, who]) => who !== PERSON && who.includes(role as never));
    expect(may.filter((line) => line.includes('/v1/account'))).toEqual(
      allowed.map(([line]) => line).toSorted(),
    );
  });

  it.each(ROLES)('holds on the agent API, too: %s', async (role) => {
    const reads = ['/v1/agent/jobs', '/v1/agent/events', '/v1/agent/keys', '/v1/agent/webhooks'];
    const changes = [
      'POST /v1/agent/chat',
      'POST /v1/chat/completions',
      'POST /v1/messages',
      'POST /v1/responses',
      'POST /v1/agent/generate',
      'POST /v1/agent/keys',
      'POST /v1/agent/webhooks',
      'POST /v1/agent/references',
      'DELETE /v1/agent/keys/none',
      'POST /v1/agent/jobs/none/cancel',
    ];
    const may: readonly string[] = AGENT_API.change;
    const body = {
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 16,
      prompt: 'a fox',
    };

    for (const url of reads) expect((await people.get(role)!.get(url)).status).toBe(200);
    for (const line of changes) {
      const [method = '', url = ''] = line.split(' ');
      const sent = url === '/v1/responses' ? { input: 'hello' } : body;
      const { error } = (await people.get(role)!.send(method as 'POST', url, sent)).body;
      expect([line, error?.code === 'ROLE_REQUIRED']).toEqual([line, !may.includes(role)]);
    }
  });

  it('is refused in words that name the role and who may', async () => {
    const answer = await people.get('viewer')!.post('/v1/account/keys', {});

    expect(answer).toMatchObject({
      status: 403,
      body: {
        error: {
          type: 'permission_error',
          message:
            'This needs the role owner, admin or developer; yours in this organisation is viewer. Ask one of its owners.',
        },
      },
    });
  });
});
