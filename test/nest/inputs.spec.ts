import { CheckedClasses } from '#platform/http/routes/checked-classes';
import { expressesAll } from '#platform/http/routes/schema-of';
import { World } from '../support/world';

it('the bodies and queries of the product are checked by their schemas alone', async () => {
  const added = jest.spyOn(CheckedClasses.prototype, 'add');
  const world = await World.start();

  const inputs = added.mock.calls.map(([input]) => input);

  expect(inputs.length).toBeGreaterThan(40);
  expect(inputs.filter((input) => !expressesAll(input)).map(({ name }) => name)).toEqual([]);
  await world.stop();
});
