const MANDATORY = /minor|child/;

/** The highest threshold that an operator can set for such a category. */
export const MANDATORY_THRESHOLD_MAX = 0.5;

/** Whether the policy always blocks this category, whatever the settings. The name is in plain words. */
export const isMandatory = (category: string): boolean => MANDATORY.test(category);
