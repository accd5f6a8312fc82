import sharp, { type Sharp } from 'sharp';

import { hashImage } from '#platform/media/image-decoding';
import { drawnPicture } from '../support/drawn-picture';
import { expectEventually } from '../support/eventually';
import { type Visitor, Pages, describeInBrowser, expectToSee } from '../support/pages';

/** A coloured picture whose parts have different greys. */
const shapes = (width: number, height: number): Sharp =>
  drawnPicture(
    [34, 68, 102],
    [
      { circle: [80, 90, 60], color: [255, 204, 51] },
      { bar: [120, 150, 110, 60], color: [204, 51, 102] },
      { circle: [200, 40, 30], color: [119, 255, 153] },
    ],
    width,
    height,
  );

describeInBrowser('the page that asks where a file is from', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  /** The bodies that the browser sends. */
  const sentBy = ({ page }: Visitor): Record<string, string>[] => {
    const sent: Record<string, string>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/provenance/verify'))
        sent.push(request.postDataJSON() as Record<string, string>);
    });
    return sent;
  };

  it('sends hashes, and the file only after a click', async () => {
    const visitor = await pages.visitor();
    await visitor.furnish();
    const { page } = visitor;
    const { url } = await visitor.post('/v1/agent/generate', { prompt: 'a lamp at noon' });
    const made = Buffer.from(await (await fetch(String(url))).arrayBuffer());
    const copy = await sharp(made).resize(300).jpeg().toBuffer();
    const sent = sentBy(visitor);
    await visitor.open('/provenance');
    const choose = (name: string, mimeType: string, buffer: Buffer): Promise<void> =>
      page.getByLabel('File to check').setInputFiles({ name, mimeType, buffer });

    await choose('lamp.png', 'image/png', made);
    await expectToSee(page.getByText('This very file was made here by a model'));
    const hashes = {
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      perceptualHash: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    };
    expect(sent).toEqual([hashes]);

    await page.getByRole('button', { name: 'Send the file to check its manifest' }).click();
    await expectToSee(page.getByText('signed by this service, with a self-made development certificate'));

    await choose('copy.jpg', 'image/jpeg', copy);
    await expectToSee(page.getByText('A copy of a picture that was made here by a model'));
    expect(sent.slice(2)).toEqual([hashes]);

    await page.getByRole('button', { name: 'Send the file to check its manifest' }).click();
    await expectToSee(page.getByText('The file has no C2PA manifest.'));
    expect(sent).toHaveLength(4);
  });

  it('makes the hash of the looks as the service does', async () => {
    const visitor = await pages.visitor();
    await visitor.furnish();
    const sent = sentBy(visitor);
    await visitor.open('/provenance');
    const distances: number[] = [];
    for (const [width, height] of [
      [1_024, 1_024],
      [1_600, 900],
      [300, 700],
      [64, 48],
    ] as const) {
      const picture = await shapes(width, height).png().toBuffer();
      const before = sent.length;
      await visitor.page
        .getByLabel('File to check')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture });
      await expectEventually(() => sent.length > before);
      const hash = BigInt(`0x${sent.at(-1)!['perceptualHash']!}`);
      const differing = hash ^ (await hashImage(picture, 'test'))!;
      distances.push(differing.toString(2).replaceAll('0', '').length);
    }

    // Half of the distance for similar pictures, so that copies of a copy are found as well.
    expect(distances.filter((distance) => distance > 3)).toEqual([]);
  });
});
