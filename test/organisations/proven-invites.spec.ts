import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { type Answer, World } from '../support/world';

const LINK = /\/account\/invites\/([\w-]{43})/;

describe('an invite for an address', () => {
  let server: MailServer;
  let world: World;
  let ann: Browser;

  beforeAll(async () => {
    server = await new MailServer().start();
    world = await World.start(server.env);
  });
  beforeEach(async () => {
    ann = await Browser.registered(world);
    await ann.founds();
  });
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });

  const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim();
  const linkTo = (email: string): string => {
    const [mail] = server.to(email);
    return LINK.exec((mail?.raw ?? '').replaceAll('=\r\n', ''))?.[0] ?? '';
  };

  it('is proven by mail where mail is sent: nobody else has the link, the inviter neither', async () => {
    const bob = await Browser.registered(world);

    const made = await ann.invite({ role: 'admin', email: bob.email });

    expect(made).toMatchObject({ status: 201, body: { email: bob.email, emailProven: true } });
    expect(JSON.stringify(made.body)).not.toMatch(LINK);
    expect(server.to(bob.email)).toHaveLength(1);
    expect(server.to(bob.email)[0]!.raw).not.toContain('Acme');
    expect(codeOf(await bob.accept(linkTo(bob.email)))).toBe('200');
  });

  it('proves the address of the person who takes it, which ends everything older', async () => {
    const bob = await Browser.unproven(world);
    const elsewhere = new Browser(world);
    await elsewhere.post('/v1/account/sign-in', { email: bob.email, password: bob.password });
    expect(codeOf(await ann.invite({ role: 'viewer', email: bob.email }))).toBe('201');

    expect(codeOf(await bob.accept(linkTo(bob.email)))).toBe('200');

    const { body } = await bob.get('/v1/account');
    expect(body.proofDue).toBe(false);
    expect(codeOf(await elsewhere.get('/v1/account'))).toBe('401 MISSING_CREDENTIALS');
    expect((await bob.get('/v1/account/organisations')).body.organisations).toHaveLength(2);
    await bob.makeKey();
    await expectEventually(() => server.to(bob.email).some(({ raw }) => raw.includes('is proven')));
  });

  it('proves no address if its link was shown to the inviter', async () => {
    const bob = await Browser.unproven(world);
    const open = await ann.invite({ role: 'viewer' });
    expect(codeOf(await bob.accept(open.body.inviteUrl as string))).toBe('200');
    expect((await bob.get('/v1/account')).body.proofDue).toBe(true);
  });

  it('is not taken by a person who registers the address without reading its mail', async () => {
    const victim = `victim-${Date.now()}@example.com`;
    const made = await ann.invite({ role: 'owner', email: victim });
    const thief = new Browser(world);
    await thief.post('/v1/account/register', { email: victim, password: thief.password });

    expect(made.body.inviteUrl).toBeUndefined();
    const listed = (await ann.get(`/v1/account/organisations/${ann.organisation}/invites`)).body
      .invites as object[];
    expect(JSON.stringify(listed)).not.toMatch(LINK);
    expect(codeOf(await thief.accept(`/account/invites/${made.body.id as string}`))).toBe('404 NOT_FOUND');
    expect(linkTo(victim)).toMatch(LINK);
  });

  it('is not there when its mail was not taken', async () => {
    await expectEventually(() => server.proofsTo(ann.email).length === 1);
    server.busy = 1;
    expect(codeOf(await ann.invite({ role: 'viewer', email: 'away@example.com' }))).toBe('503 INTERNAL');
    server.unknown.add('nobody@example.com');
    expect(codeOf(await ann.invite({ role: 'viewer', email: 'nobody@example.com' }))).toBe(
      '400 INVALID_REQUEST',
    );

    const { invites } = (await ann.get(`/v1/account/organisations/${ann.organisation}/invites`)).body;
    expect(invites).toEqual([]);
  });

  it('is mailed a few times to an address, by all inviters together', async () => {
    const codes: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const inviter = await Browser.registered(world);
      await inviter.founds();
      const invited = await inviter.invite({ role: 'viewer', email: 'stranger@example.com' });
      codes.push(codeOf(invited));
    }
    expect(codes).toEqual(['201', '201', '201', '429 RATE_LIMITED', '429 RATE_LIMITED']);
    expect(server.to('stranger@example.com')).toHaveLength(3);
  });

  it('is mailed a few times for a caller, by all accounts and to all addresses together', async () => {
    const codes: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const inviter = await Browser.registered(world);
      await inviter.founds();
      for (const at of [1, 2])
        codes.push(codeOf(await inviter.invite({ role: 'viewer', email: `s${n}-${at}@example.com` })));
    }
    expect(codes.at(-1)).toBe('429 RATE_LIMITED');
    expect(codes.filter((code) => code === '201').length).toBeLessThanOrEqual(20);
  });

  it('without an address is a link for anyone who has it', async () => {
    const made = await ann.invite({ role: 'viewer' });

    expect(made.body).toMatchObject({ emailProven: false, inviteUrl: expect.stringMatching(LINK) });
  });

  it('says that nothing is proven where no mail is sent', async () => {
    const silent = await World.start();
    const eve = await Browser.registered(silent);
    await eve.founds();

    const made = await eve.invite({ role: 'viewer', email: 'bob@example.com' });

    expect(made.body).toMatchObject({ emailProven: false, inviteUrl: expect.stringMatching(LINK) });
    await silent.stop();
  });
});
