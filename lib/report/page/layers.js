// The layers of an image: which one a file is from, and what each did to the causes of a whole tree.

function layerTitle(number, layer) {
  const digest = (layer.digest || layer.diff_id || '').slice(0, 'sha256:'.length + 12);
  const title = say('layerNumber', {n: number}) + (digest ? ` (${digest})` : '');
  return layer.created_by ? `${title}: ${layer.created_by}` : title;
}

function layerDid(did, title) {
  return did === 'removed' ? say('removedByLayer', {layer: title}) : say('broughtByLayer', {layer: title});
}

/// Of the data's layer_of_file.
function layerWords(layer) {
  const title = layerTitle(layer.number, layer);
  return [pathText(layer.path), ' ', el('span', {class: 'dim'}, layerDid(layer.did, title))];
}

function layerList(layers) {
  return (layers || []).map((layer) => el('div', {}, layerWords(layer)));
}

/// scan --layers.
function layersSection(data) {
  const known = data.layers;
  if (!known) return null;
  const headline = new Map(data.groups.map((group) => [group.key, group.headline]));
  const rows = known.layers.map((layer) => [
    layerTitle(layer.number, layer),
    layer.appears.map((key) => el('div', {class: 'bad'}, '+ ', tell(headline.get(key) || key))),
    layer.ended.map((ended) => el('div', {class: 'good'}, '− ', tell(ended))),
    `${layer.fails} / ${layer.roots}`,
  ]);
  const hidden = known.hidden.slice(0, 2000).map((file) => [
    sizeText(file.bytes), pathText(file.path), String(file.number), `${file.did === 'removed' ? say('removed') : say('replaced')} ${file.by}`
  ]);
  return section(
      'layers', say('layers'), table([say('layer'), say('appears'), say('ended'), say('fails')], rows),
      hidden.length > 0 ?
          foldedLater(
              say('hiddenSum', {files: known.hidden.length, size: sizeText(known.hidden_bytes)}),
              () => [table([say('size'), say('path'), say('layer'), say('hiddenBy')], hidden)]) :
          null);
}
