import { bundle } from './build';
import globalSetup from './global-setup';

/** Starts the database server like all runs, and also makes the program in one file. */
const processesSetup = async (): Promise<void> => {
  await globalSetup();
  bundle();
};

export default processesSetup;
