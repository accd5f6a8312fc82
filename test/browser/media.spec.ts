import sharp from 'sharp';

import { cents } from '../../clients/console/parts/format';
import { Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer();

describeInBrowser('images and videos in the studio, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
    await visitor.signUp();
    await visitor.topUp(10);
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const make = () => visitor.page.getByRole('button', { name: /^Make it for \$/ });

  it('makes an image for the price on the button, and keeps it in the address and the history', async () => {
    const { page } = visitor;
    await visitor.open('/studio/image');
    await page.getByLabel('Resolution').selectOption('2K');
    const { micro, text } = await pages.price({ modelId: 'ember-image', resolution: '2K' });
    await expectToSee(page.getByRole('button', { name: `Make it for ${text}` }));
    await page.getByLabel('Prompt').fill('a lamp in the fog');
    await make().click();

    const image = page
      .getByRole('region', { name: 'Result' })
      .getByRole('img', { name: 'a lamp in the fog' });
    await expectToSee(image);
    await expectToSee(page.getByRole('img', { name: 'What ember-image made' }));
    await visitor.keepScreenshot('image-light');
    expect(
      await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(500);
    await expectToSee(page.getByRole('link', { name: `Balance ${cents(10_000_000 - micro)}` }));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect((await sharp(await download.path()).metadata()).format).toBe('png');

    await page.reload();
    await expectToSee(page.getByRole('img', { name: 'What ember-image made' }));
    await page.goBack(); // The page before that of the job.
    await expectToSee(page.getByText('It will be shown here'));
    await page
      .getByRole('region', { name: 'Made before' })
      .getByRole('button', { name: /ember-image/ })
      .click();
    expect(page.url()).toContain('job=job_');
  });

  it('shows how far a video is, plays it, and offers only what its model has', async () => {
    const { page } = visitor;
    await visitor.open('/studio/video?model=torch-animate');
    await expectSoon(() => page.getByLabel('With sound').count(), 0);
    await page.getByLabel('Model', { exact: true }).selectOption('Torch Video');
    await page.getByLabel('Length').selectOption('6 seconds');
    await page.getByLabel('With sound').uncheck();
    await page.getByLabel('Prompt').fill('fog drifts by [[delay 2s]]');
    await page.getByRole('button', { name: 'Copy the call as curl' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(JSON.parse(/<<'JSON'\n([^]*)\nJSON/.exec(copied)?.[1] ?? '')).toEqual({
      prompt: 'fog drifts by [[delay 2s]]',
      modelId: 'torch-video',
      duration: 6,
      audio: false,
    });
    await make().click();

    await expectToSee(page.getByText(/^Being made: \d+ %$/));
    await expectToSee(page.getByRole('region', { name: 'Result' }).locator('video[src^="/media/"]'));
    expect(
      await page.getByRole('region', { name: 'Result' }).locator('video').getAttribute('controls'),
    ).not.toBeNull();
  });

  it('takes a source by drop and by choice, and one of the library by drag', async () => {
    const { page } = visitor;
    const media = `data:image/png;base64,${(await picture('red')).toString('base64')}`;
    await visitor.post('/v1/agent/references', { media, label: 'a red square' });
    await visitor.open('/studio/image?model=mask-swap');
    const image = page.getByRole('group', { name: 'Source image' });
    const face = page.getByRole('group', { name: 'Face or subject' });

    await page.locator('.shelf li').first().dragTo(face);
    await expectToSee(face.getByRole('img', { name: 'a red square' }));
    await image.dispatchEvent('drop', {
      dataTransfer: await visitor.dataTransfer('dropped.gif', 'image/gif'),
    });
    await expectToSee(image.getByRole('img', { name: 'dropped.gif' }));
    await page.getByLabel('Source image: file').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('no image'),
    });
    await expectToSee(image.getByText('notes.txt is no image.'));
    await page.getByLabel('Source image: file').setInputFiles({
      name: 'blue.png',
      mimeType: 'image/png',
      buffer: await picture('blue'),
    });
    await expectToSee(image.getByRole('img', { name: 'blue.png' }));
    await page.getByLabel('Prompt').fill('swap them');
    await make().click();

    await expectToSee(page.getByRole('img', { name: 'swap them' }));
    const job = new URL(page.url()).searchParams.get('job') ?? '';
    const { body } = await pages.world.get(`/v1/agent/jobs/${job}`);
    expect(body).toMatchObject({ status: 'done', chargeState: 'charged' });
    expect(body.references).toHaveLength(1);
  });

  it('takes one of the library by keyboard, too', async () => {
    const { page } = visitor;
    const media = `data:image/png;base64,${(await picture('green')).toString('base64')}`;
    await visitor.post('/v1/agent/references', { media, label: 'a green square' });
    await visitor.open('/studio/image?model=ember-edit');
    await page.getByRole('button', { name: 'From references' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'a green square' }).focus();
    await page.keyboard.press('Enter');

    await expectToSee(
      page.getByRole('group', { name: 'Source image' }).getByRole('img', { name: 'a green square' }),
    );
  });

  it('says that it failed, and that the money is back', async () => {
    const { page } = visitor;
    await visitor.open('/studio/video');
    await page.getByLabel('Prompt').fill('this will not do [[fail]]');
    await make().click();

    await expectToSee(
      page.getByText(/The model failed to make it\. (Its price was refunded|Nothing was charged)\./),
    );
    await expectToSee(page.getByRole('link', { name: 'Balance $10.00' }));
  });

  it('says what was charged, with the receipt, for what was made before, too', async () => {
    const { page } = visitor;
    await visitor.post('/v1/agent/generate', { prompt: 'a lamp' });
    await visitor.open('/studio/image');
    await page
      .getByRole('region', { name: 'Made before' })
      .getByRole('button', { name: /ember-image/ })
      .click();

    const result = page.getByRole('region', { name: 'Result' });
    const { text } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(result.getByText(`Charged ${text}.`));
    await result.getByRole('link', { name: 'Receipt' }).click();
    await expectToSee(page.getByRole('dialog', { name: 'Receipt' }).getByText('ember-image'));
  });

  it('cancels what nobody has begun to make, and gives the money back', async () => {
    const { page } = visitor;
    await visitor.open('/studio/video');
    await page.getByLabel('Prompt').fill('fog drifts by [[delay 600s]]');
    await make().click();
    await expectToSee(page.getByText(/^Being made: \d+ %$/));
    await visitor.keepScreenshot('video-making');

    await page.getByRole('button', { name: 'Cancel and get a refund' }).click();

    await expectToSee(page.getByText('It was cancelled. Its price was refunded.'));
    await expectToSee(page.getByText(/ refunded\. Receipt$/));
    await expectToSee(page.getByRole('link', { name: 'Balance $10.00' }));
    await expectToSee(page.getByRole('region', { name: 'Made before' }).getByText('cancelled'));
    await visitor.keepScreenshot('video-cancelled');
  });

  it('says that it is too late where the provider does not cancel', async () => {
    const { page } = visitor;
    await visitor.open('/studio/video');
    await page.getByLabel('Prompt').fill('fog drifts by [[delay 3s]] [[uncancellable]]');
    await make().click();
    await page.getByRole('button', { name: 'Cancel and get a refund' }).click();

    await page.getByRole('button', { name: 'Cancel and get a refund' }).waitFor({ state: 'detached' });
    await expectToSee(page.getByText('This job cannot be cancelled any more.'));
    await visitor.keepScreenshot('video-too-late');
    await expectToSee(page.getByRole('region', { name: 'Result' }).locator('video[src^="/media/"]'));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 409.
  });

  it('says that a cancellation came after the end of the job', async () => {
    const { page } = visitor;
    await visitor.open('/studio/video');
    await page.getByLabel('Prompt').fill('fog drifts by [[delay 2s]]');
    const film = page.getByRole('region', { name: 'Result' }).locator('video[src^="/media/"]');
    await page.route(/\/cancel$/, async (route) => {
      await expectToSee(film);
      await route.continue();
    });
    await make().click();
    await page.getByRole('button', { name: 'Cancel and get a refund' }).click();

    await expectToSee(page.getByText('This job cannot be cancelled any more.'));
    await expectToSee(film);
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 409.
  });

  it('shows what keys make meanwhile, and what is left, without being asked again', async () => {
    const { page } = visitor;
    await visitor.open('/studio/image');
    await expectToSee(page.getByText('No images yet'));
    await expectToSee(page.getByRole('link', { name: 'Balance $10.00' }));

    await visitor.post('/v1/agent/generate', { prompt: 'a lamp, from elsewhere' });

    const { micro } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(page.getByRole('img', { name: 'What ember-image made' }));
    await expectToSee(page.getByRole('link', { name: `Balance ${cents(10_000_000 - micro)}` }));
  });

  it('pays once when an answer is lost and the button is pressed again', async () => {
    const { page } = visitor;
    await visitor.open('/studio/image');
    await page.getByLabel('Prompt').fill('a lamp, once');
    await page.route(
      '**/v1/agent/generate',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await make().click();
    await expectToSee(page.getByText("The service can't be reached."));
    await make().click();
    await expectToSee(page.getByRole('img', { name: 'a lamp, once' }));

    const { micro } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(page.getByRole('link', { name: `Balance ${cents(10_000_000 - micro)}` }));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the connection that broke.
  });

  it('says what is missing before anything is charged', async () => {
    const { page } = visitor;
    await visitor.open('/studio/image?model=ember-edit');
    await page.getByLabel('Prompt').fill('make it blue');
    await make().click();

    await expectToSee(page.getByText('ember-edit needs image.'));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 400.
  });
});
