import { type FeatureSettings, composeOne, composeSettings, defineSettings, liveView } from './settings';
import { type BadSettings, type Variables, Flag, Rotating, Text, Whole } from './variables';

class LampVariables {
  @Whole(1, 100) readonly LAMPS: number = 3;
  @Rotating('token') @Text() readonly LAMP_TOKEN?: string;
}

const lamps = defineSettings({
  variables: LampVariables,
  problems: (env: LampVariables) => (env.LAMPS === 13 ? ['LAMPS must not be 13'] : []),
  freeOfMoney: () => ['LAMPS=free'],
  read: (env: LampVariables) => ({ shop: { lamps: env.LAMPS }, token: env.LAMP_TOKEN }),
});

class PostVariables {
  @Flag() readonly POSTS: boolean = false;
}

class MisspeltVariables {
  @Rotating('tokne') @Text() readonly LAMP_OIL?: string;
}

const posts = defineSettings({
  variables: PostVariables,
  problems: (env: PostVariables, { freeOfMoney }) => (env.POSTS ? freeOfMoney : []),
  read: (env: PostVariables & LampVariables) => ({ shop: { posts: env.POSTS ? env.LAMPS : 0 } }),
});

const compose = (variables: Variables, features: readonly FeatureSettings[] = [lamps, posts]) =>
  composeSettings(features, [], variables);

const problemsOf = (variables: Variables): readonly string[] => {
  try {
    compose(variables);
    return [];
  } catch (error) {
    return (error as BadSettings).problems;
  }
};

describe('the settings of the features', () => {
  it('are one object, to which several features may add', () => {
    expect(compose({ LAMPS: '5' })).toEqual({
      shop: { lamps: 5, posts: 0 },
      token: undefined,
      providers: [],
      secrets: [],
    });
  });

  it('report the wrong values of all features together, and then the broken rules of all', () => {
    expect(problemsOf({ LAMPS: 'x', POSTS: 'y' })).toEqual([
      'LAMPS must be a whole number',
      'POSTS must be true or false',
    ]);
    expect(problemsOf({ LAMPS: '13', POSTS: 'true' })).toEqual(['LAMPS must not be 13', 'LAMPS=free']);
  });

  it('of one feature are read alone, without the others', () => {
    expect(composeOne(posts, { LAMPS: 'x', LAMP_TOKEN: 'secret' })).toEqual({ shop: { posts: 0 } });
  });

  it('change in the field that a rotating variable names', () => {
    let now = compose({ LAMPS: '5', LAMP_TOKEN: 'old' });
    const view = liveView([lamps, posts], () => now, {});
    now = compose({ LAMPS: '6', LAMP_TOKEN: 'new' });

    expect(view).toMatchObject({ shop: { lamps: 5 }, token: 'new', secrets: ['new'] });
  });

  it('name a field that could change and does not exist', () => {
    const now = compose({});

    expect(() => liveView([{ ...lamps, variables: MisspeltVariables }], () => now, {})).toThrow(
      'The settings have no field tokne',
    );
  });
});
