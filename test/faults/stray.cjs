// Loaded into a process of the service before anything else. On SIGUSR2 it fails as what nobody foresaw would: from a
// callback that nobody holds. With STRAY=rejection it is a promise that nobody waits for.
process.on('SIGUSR2', () => {
  const failure = new Error('nobody foresaw this; password in postgres://lamp:stray-secret@db/x');
  if (process.env.STRAY === 'rejection') void Promise.reject(failure);
  else
    setImmediate(() =>
      setImmediate(() => {
        throw failure;
      }),
    );
});
