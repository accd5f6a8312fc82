import { declareOperation } from './operation';

describe('declaring an operation', () => {
  it('refuses a second one of the same name, and names both', () => {
    declareOperation({ name: 'painting', sold: 'One painting.' });

    expect(() => declareOperation({ name: 'painting', sold: 'One wall, painted.' })).toThrow(
      'Two operations are named painting: "One painting." and "One wall, painted."',
    );
  });
});
