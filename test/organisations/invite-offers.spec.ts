import { Browser } from '../support/browser';
import { World } from '../support/world';

describe('what an invite offers', () => {
  let world: World;
  let ann: Browser;

  beforeAll(async () => {
    world = await World.start();
  });
  beforeEach(async () => {
    ann = await Browser.registered(world);
    await ann.founds('Acme Robots');
  });
  afterAll(() => world.stop());

  const tokenOf = (inviteUrl: string): string => inviteUrl.split('/').at(-1)!;
  const offerOf = (inviteUrl: string) => world.get(`/v1/account/invites/${tokenOf(inviteUrl)}`);

  it('is readable by the link alone, and names who invites, to what and in which role', async () => {
    const { body } = await ann.invite({ role: 'billing', email: 'bob@example.com' });
    const offer = await offerOf(body.inviteUrl as string);

    expect([offer.status, offer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(offer.body).toEqual({
      organisation: 'Acme Robots',
      invitedBy: ann.email,
      role: 'billing',
      email: 'bob@example.com',
      expiresAt: body.expiresAt,
    });
    // Reading an invite does not accept it.
    expect(
      (await ann.get(`/v1/account/organisations/${ann.organisation}/members`)).body.members,
    ).toHaveLength(1);
  });

  it('is nothing after a withdrawal or without the whole link', async () => {
    const { body } = await ann.invite({ role: 'viewer' });
    const url = body.inviteUrl as string;
    expect((await offerOf(url.slice(0, -1))).status).toBe(404);
    expect((await offerOf(`${url.slice(0, -4)}AAAA`)).status).toBe(404);

    await ann.delete(`/v1/account/organisations/${ann.organisation}/invites/${body.id}`);
    const gone = await offerOf(url);
    expect([gone.status, gone.body.error.code]).toEqual([410, 'INVITE_EXPIRED']);
  });

  it('has the new name of an organisation that owners or admins rename', async () => {
    const admin = await ann.colleague('admin');
    const dev = await ann.colleague('developer');
    const url = `/v1/account/organisations/${ann.organisation}`;
    const { body } = await ann.invite({ role: 'viewer' });

    expect((await dev.patch(url, { name: 'Mine' })).body.error.code).toBe('ROLE_REQUIRED');
    expect((await admin.patch(url, { name: '  Acme Lamps ' })).body).toMatchObject({ name: 'Acme Lamps' });
    expect((await admin.patch(url, { name: ' ' })).status).toBe(400);
    expect((await offerOf(body.inviteUrl as string)).body.organisation).toBe('Acme Lamps');
    const { body: audit } = await ann.get(`${url}/audit?action=organisation.renamed`);
    expect(audit.entries.map(({ text }: { text: string }) => text)).toEqual([
      'renamed this organisation to Acme Lamps',
    ]);
  });

  it('is no way to rename a person, or an organisation of others', async () => {
    const eve = await Browser.registered(world);
    expect((await eve.patch(`/v1/account/organisations/${eve.id}`, { name: 'Somebody' })).status).toBe(400);
    expect((await eve.patch(`/v1/account/organisations/${ann.organisation}`, { name: 'Eve' })).status).toBe(
      404,
    );
    expect((await ann.get('/v1/account/organisations')).body.organisations[1].name).toBe('Acme Robots');
  });
});
