import { useEffect } from 'react';
import { useApi } from '../api/use-api.js';
import { Empty, Loading } from '../parts/data-state.js';
import { navigate } from '../url/location.js';

/** `/go/<anything>`: asks the engine what it means and goes there. */
export function GoResolver({ path }: { readonly path: string }) {
  const id = decodeURIComponent(path.slice('/go/'.length));
  const { data, error } = useApi('GET /go/{id}', { id });
  useEffect(() => {
    if (data) navigate(data.path, { replace: true });
  }, [data]);
  return error ? <Empty title={`Nothing is known by "${id}"`}><p>{error.message}</p></Empty> : <Loading what="what it means" />;
}
