import { audioVendors, holdAudioVendorToContract } from './audio-vendor-contract';

describe.each(audioVendors())('audio of the vendor %s', (name) => {
  holdAudioVendorToContract(name);
});
