// Reads the manifests of a file with the official library. It runs in a child process, because a stranger made the
// file. The text of its manifests may unpack to far more than the memory of a thread. It has no network.
delete globalThis.fetch;

const storeOf = async ({ bytes, mime, anchors, library, module }) => {
  const c2pa = await import(library);
  c2pa.initSync({ module: new WebAssembly.Module(module) });
  const context = {
    verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_after_sign: true },
    builder: { thumbnail: { enabled: false } },
    trust: { trust_anchors: anchors },
  };
  try {
    const reader = await c2pa.WasmReader.fromBytes(mime, bytes, JSON.stringify(context));
    return JSON.parse(reader.json());
  } catch (error) {
    // A file without a manifest is not a failure.
    if (/JumbfNotFound/.test(String(error))) return undefined;
    throw error;
  }
};

/** Only the fields that the service reads, so that the answer is small. */
const partOf = (store) => {
  if (store === undefined) return undefined;
  const { validation_state, active_manifest = '', manifests } = store;
  const { signature_info } = manifests?.[active_manifest] ?? {};
  return { validation_state, active_manifest, manifests: { [active_manifest]: { signature_info } } };
};

process.on('message', (file) => {
  storeOf(file).then(
    (store) => process.send({ result: { store: partOf(store) } }),
    (error) => process.send({ result: { failed: String(error).slice(0, 500) } }),
  );
});
