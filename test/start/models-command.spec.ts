import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { runCommand } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';
import { ListingVendor } from '../support/listing-vendor';
import { World } from '../support/world';

const COMMAND = ['-r', './tools/typescript.cjs', 'src/models-command.ts'];
const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };

describe('the command for models', () => {
  let vendor: ListingVendor;
  let world: World;
  const env = () => ({
    SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
    ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
    ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
    ALLOW_SANDBOX_MIX: 'true',
  });
  const run = (...words: string[]) =>
    runCommand(process.execPath, [...COMMAND, ...words], process.cwd(), {
      ...env(),
      DATABASE_URL: world.settings.databaseUrl!,
    });
  /** A model as the running service sells it. */
  const sold = async (id: string) =>
    ((await world.get('/v1/agent/models')).body.textModels as { id: string }[]).find(
      (model) => model.id === id,
    );
  /** Waits until the running service sells the model like this. */
  const expectSold = (id: string, facts: object): Promise<void> =>
    expectEventually(async () => {
      expect(await sold(id)).toMatchObject(facts);
      return true;
    });
  const audited = async () =>
    (await world.get('/v1/admin/audit?limit=50', ADMIN)).body.entries as Record<string, unknown>[];

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    vendor.sells('claude-opus-5', 'claude-sonnet-4-6', 'claude-odd-1x');
    world = await World.start(env());
    await world.app.get(VendorLists, { strict: false }).ask();
  });
  afterEach(async () => {
    await world.stop();
    await vendor.stop();
  });

  it('shows the facts of the operators’ page, as a table and as JSON', async () => {
    await world.send({
      method: 'PATCH',
      url: '/v1/admin/models/claude-opus-5',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      payload: JSON.stringify({ markup: '2/1' }),
    });

    const json = await run('--json');
    expect([json.exitCode, json.errors]).toEqual([0, '']);
    const { body } = await world.get('/v1/admin/models', ADMIN);
    expect(JSON.parse(json.output)).toEqual(body);

    const { output } = await run('anthropic/');
    expect(output).toMatch(
      /^claude-opus-5 +anthropic +yes +\$5\.00\/\$25\.00 +\$10\.00\/\$50\.00 +million tokens +changed$/m,
    );
    expect(output).toMatch(/^claude-odd-1x +anthropic +no .*the book does not have it$/m);
    expect(output).toContain('add it with its price to a CATALOG_FILE');
    expect(output).toMatch(/^The usual price of a listed model is its cost and 25 %\.$/m);

    const withOpenai = { ...env(), OPENAI_API_KEY: 'a-key-of-openai-0123456789', CATALOG: 'retail' };
    const { output: studio } = await runCommand(
      process.execPath,
      [...COMMAND, 'ember-image-studio'],
      process.cwd(),
      { ...withOpenai, DATABASE_URL: world.settings.databaseUrl! },
    );
    // Both rows are of one vendor.
    expect(studio).toMatch(/^ember-image-studio +openai gpt-image-1\.5 +\S+ +\$0\.034 /m);
    expect(studio).toMatch(/^ +openai gpt-image-1-mini +\$0\.011$/m);
  });

  it('shows a refused key and missing models, and agrees that these are gone', async () => {
    vendor.status = 403;
    const lists = world.app.get(VendorLists, { strict: false });
    await lists.ask();
    expect((await run()).output).toMatch(
      /^anthropic: the vendor refused the key \(403\)\. Its list of \S+ stays\.$/m,
    );
    vendor.status = 200;
    vendor.sells('claude-odd-1x');
    await lists.ask();
    expect((await run()).output).toContain(
      'The newest list of anthropic lacks claude-opus-5, claude-sonnet-4-6. If they are gone: npm run -s models -- gone anthropic\n',
    );
    expect((await run('anthropic')).output).toContain('The newest list of anthropic lacks');
    expect((await run('opus')).output).not.toContain('The newest list');
    const wrong = await run('gone', 'nobody');
    expect([wrong.exitCode, wrong.errors]).toEqual([
      1,
      'There is no list of such a vendor: GET /v1/admin/models shows them.\n',
    ]);
    const gone = await run('gone', 'anthropic');
    expect([gone.exitCode, gone.output]).toEqual([
      0,
      'No longer for sale at anthropic: claude-opus-5, claude-sonnet-4-6.\n',
    ]);
    await expectEventually(async () => !(await sold('claude-opus-5')));
    expect(await audited()).toMatchObject([{ action: 'agree_price', operator: 'terminal' }]);
    const again = await run('gone', 'anthropic');
    expect([again.exitCode, again.errors]).toEqual([1, 'The list of anthropic lacks no model.\n']);
  });

  it('shows the cost at each vendor, and leaves a dearer one out', async () => {
    const other = await new ListingVendor().start();
    other.sells({ id: 'claude-opus-5', pricing: { prompt: '0.00002', completion: '0.00009' } });
    const env2 = { OPENAI_COMPATIBLE_SERVERS: 'other', OTHER_BASE_URL: `${other.origin}/v1` };
    const two = await World.start({ ...env(), ...env2 });
    const command = (...words: string[]) =>
      runCommand(process.execPath, [...COMMAND, ...words], process.cwd(), {
        ...env(),
        ...env2,
        DATABASE_URL: two.settings.databaseUrl!,
      });
    try {
      await two.app.get(VendorLists, { strict: false }).ask();
      const { output } = await command('claude-opus-5');
      expect(output).toMatch(/^claude-opus-5 +anthropic +yes +\$5\.00\/\$25\.00 +\$25\.00\/\$112\.50 /m);
      expect(output).toMatch(
        /^ +other +\$20\.00\/\$90\.00 +raises the price: input from \$6\.25 to \$25\.00; output from \$31\.25 to \$112\.50/m,
      );
      expect(output).toContain('npm run -s models -- routes NAME --without VENDOR');
      const left = await command('routes', 'claude-opus-5', '--without', 'other');
      expect(left.output).toMatch(/^claude-opus-5 +anthropic +yes +\$5\.00\/\$25\.00 +\$6\.25\/\$31\.25 /m);
      expect(left.output).toMatch(/^ +other +\$20\.00\/\$90\.00 +left out$/m);
      const back = await command('routes', 'claude-opus-5', '--default');
      expect(back.output).toMatch(/^claude-opus-5 +anthropic +yes +\$5\.00\/\$25\.00 +\$25\.00\/\$112\.50 /m);
    } finally {
      await two.stop();
      await other.stop();
    }
  });

  it('switches models off and on in the running service, and the audit names the terminal', async () => {
    const off = await run('off', 'claude-opus-5', 'claude-sonnet-4-6', '--reason', 'Too slow');
    expect([off.exitCode, off.errors]).toEqual([0, '']);
    expect(off.output).toMatch(/^claude-opus-5 +anthropic +no .*an operator switched it off: Too slow$/m);
    expect(off.output).toContain('Models for sale: 0 of 2.');
    await expectEventually(async () => !(await sold('claude-opus-5')) && !(await sold('claude-sonnet-4-6')));
    expect(await audited()).toMatchObject([
      { action: 'switch_off', subject: 'model claude-sonnet-4-6', operator: 'terminal', reason: 'Too slow' },
      { action: 'switch_off', subject: 'model claude-opus-5', operator: 'terminal', reason: 'Too slow' },
    ]);

    expect((await run('on', 'claude-opus-5')).exitCode).toBe(0);
    await expectSold('claude-opus-5', {});
  });

  it('changes prices and flags, and undoes them', async () => {
    const changed = await run('price', 'claude-opus-5', '--percent', '20', '--json');
    expect(JSON.parse(changed.output).models).toMatchObject([
      { id: 'claude-opus-5', price: { inputUsdPerMtok: '6.000000' }, changes: { markup: '12000/10000' } },
    ]);
    await expectSold('claude-opus-5', { inputUsdPerMtok: '6.00' });
    await run('price', 'claude-opus-5', '--input', '7', '--output', '30');
    const { output } = await run('private', 'claude-opus-5');
    expect(output).toMatch(/ private, changed$/m);
    await expectSold('claude-opus-5', {
      inputUsdPerMtok: '7.00',
      outputUsdPerMtok: '30.00',
      private: true,
    });

    const undone = await run('undo', 'claude-opus-5', '--json');
    expect(JSON.parse(undone.output).models).toMatchObject([{ id: 'claude-opus-5', changes: {} }]);
    await expectSold('claude-opus-5', { inputUsdPerMtok: '6.25' });
    expect((await audited()).map(({ action, operator }) => [action, operator])).toEqual(
      Array.from({ length: 4 }, () => ['change_model', 'terminal']),
    );
  });

  it('agrees to a held price, and sets the order of routes', async () => {
    const at = (prompt: string) => ({ id: 'maker/model-a', pricing: { prompt, completion: '0.000002' } });
    const servers = {
      OPENAI_COMPATIBLE_SERVERS: 'router,other',
      ROUTER_BASE_URL: `${vendor.origin}/router/v1`,
      OTHER_BASE_URL: `${vendor.origin}/other/v1`,
    };
    const two = await World.start({ ...env(), ...servers });
    const command = (...words: string[]) =>
      runCommand(process.execPath, [...COMMAND, ...words], process.cwd(), {
        ...env(),
        ...servers,
        DATABASE_URL: two.settings.databaseUrl!,
      });
    const modelsOf = ({ output }: { output: string }) => JSON.parse(output).models;
    try {
      const ask = () => two.app.get(VendorLists, { strict: false }).ask();
      vendor.sells(at('0.000001'));
      await ask();
      vendor.sells(at('0.00002'));
      await ask();
      expect((await command('maker/model-a')).output).toContain('a price is held: 20.00/2.00');
      const none = await command('agree', 'maker/model-a', '--price', '20.00/2.00', '--vendor', 'anthropic');
      expect([none.exitCode, none.errors]).toEqual([1, 'maker/model-a has no held price.\n']);
      // The vendor changes the price after the operator saw it.
      vendor.sells(at('0.00003'));
      await ask();
      const late = await command('agree', 'maker/model-a', '--price', '20.00/2.00');
      expect([late.exitCode, late.output]).toEqual([1, '']);
      expect(late.errors).toBe('maker/model-a has another held price: 30.00/2.00.\n');
      // A price has more than one form.
      const right = ['--price', '$30.0/02'];
      const agreed = await command('agree', 'maker/model-a', ...right, '--reason', 'They wrote', '--json');
      expect([agreed.exitCode, agreed.errors]).toEqual([0, '']);
      const [model] = modelsOf(agreed);
      expect(model).toMatchObject({ held: [], cost: { inputUsdPerMtok: '30.000000' } });
      const [entry] = (await two.get('/v1/admin/audit?limit=1', ADMIN)).body.entries;
      expect(entry).toMatchObject({ action: 'agree_price', operator: 'terminal' });

      const last = model.routes.at(-1).provider;
      const set = await command('routes', 'maker/model-a', last, '--json');
      expect([set.exitCode, set.errors]).toEqual([0, '']);
      expect(modelsOf(set)[0].routes[0]).toMatchObject({ provider: last });
      const wrong = await command('routes', 'maker/model-a', 'nobody');
      expect([wrong.exitCode, wrong.output]).toEqual([2, '']);
      expect(wrong.errors).toMatch(/has no route nobody. It has (?:router|other):maker\/model-a/);
      const undone = await command('routes', 'maker/model-a', '--default', '--json');
      expect(modelsOf(undone)[0].changes).toEqual({});
    } finally {
      await two.stop();
    }
  });

  it('prints the file of the operators’ page', async () => {
    await run('price', 'claude-opus-5', '--percent', '50');
    await expectSold('claude-opus-5', { inputUsdPerMtok: '7.50' });
    const { output, exitCode } = await run('export');
    expect(exitCode).toBe(0);
    const { body } = await world.get('/v1/admin/models/export', ADMIN);
    expect(output).toBe(`${JSON.stringify(body, undefined, 2)}\n`);
  });

  it('refuses what the page refuses, and misspelt names before it changes anything', async () => {
    const misspelt = await run('off', 'claude-sonnet-4-6', 'claude-opos-5');
    expect([misspelt.exitCode, misspelt.output]).toEqual([1, '']);
    expect(misspelt.errors).toBe('There is no model claude-opos-5. Did you mean claude-opus-5?\n');

    const cheap = await run('price', 'claude-opus-5', 'lumen-code', '--percent=-10', '--json');
    expect([cheap.exitCode, JSON.parse(cheap.output)]).toEqual([1, { models: [] }]);
    expect(cheap.errors).toMatch(/claude-opus-5 would sell below its cost.*--below-cost/);
    expect(cheap.errors).toMatch(/lumen-code has the rates of the catalog/);
    expect(await audited()).toEqual([]);

    vendor.sells({ id: 'claude-haiku-4-5-20251001' });
    await world.app.get(VendorLists, { strict: false }).ask();
    expect((await run('haiku-4-5-2025')).output).toMatch(/^claude-haiku-4-5 +anthropic +yes /m);
    const alias = await run('off', 'claude-haiku-4-5-20251001');
    expect([alias.exitCode, alias.output, alias.errors]).toEqual([
      1,
      '',
      'claude-haiku-4-5-20251001 is an alias. Name the model itself: claude-haiku-4-5.\n',
    ]);

    const none = await run('offf', 'claude-opus-5');
    expect([none.exitCode, none.output]).toEqual([1, '']);
    expect(none.errors).toContain('No model has "offf claude-opus-5" in its name.');
    const unclear = await run('price', 'claude-opus-5');
    expect([unclear.exitCode, unclear.output]).toEqual([2, '']);
    expect(unclear.errors).toContain('price needs --percent');
    const help = await run('--help');
    expect([help.exitCode, help.errors]).toEqual([0, '']);
    expect(help.output).toContain('npm run -s models -- COMMAND NAME…');
  });
});
