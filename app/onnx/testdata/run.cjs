// Runs the models of a folder in onnxruntime and compares their outputs with those in the files beside them:
// node run.cjs FOLDER MODULES, where MODULES/node_modules has onnxruntime-node.
const fs = require('fs')
const path = require('path')
const [, , folder, modules] = process.argv
const ort = require(require.resolve('onnxruntime-node', { paths: [modules] }))

async function compare(file) {
  const want = JSON.parse(fs.readFileSync(file.replace(/onnx$/, 'json')))
  const single = file.includes('float32')
  const session = await ort.InferenceSession.create(file, { logSeverityLevel: 3 })
  const data = single ? Float32Array.from(want.x) : Float64Array.from(want.x)
  const got = await session.run({ x: new ort.Tensor(single ? 'float32' : 'float64', data, want.dims) })
  let worst = 0
  for (const [name, values] of Object.entries(want.outputs)) {
    const have = Array.from(got[name].data)
    if (have.length !== values.length) throw new Error(`${file}: ${name} has ${have.length} elements, want ${values.length}`)
    if (name === 'label') {
      if (want.outputs.label.some((label, i) => label !== have[i])) throw new Error(`${file}: labels differ`)
      continue
    }
    const largest = Math.max(...values.map(Math.abs))
    values.forEach((v, i) => {
      const off = Math.abs(v - have[i]) / largest
      if (!(off <= (single ? 2e-5 : 1e-9))) throw new Error(`${file}: ${name}[${i}] is ${have[i]}, want ${v}`)
      worst = Math.max(worst, off)
    })
  }
  return worst
}

async function main() {
  const files = fs.readdirSync(folder).filter((f) => f.endsWith('.onnx')).sort()
  if (files.length === 0) throw new Error('there are no models')
  const worst = { float32: 0, float64: 0 }
  const wrong = []
  for (const f of files) {
    const kind = f.includes('float32') ? 'float32' : 'float64'
    try {
      worst[kind] = Math.max(worst[kind], await compare(path.join(folder, f)))
    } catch (e) {
      wrong.push(String(e.message).slice(0, 300))
    }
  }
  console.log(`onnxruntime: ${files.length - wrong.length} of ${files.length} models agree, to ${worst.float32.toPrecision(2)} of the largest output in float32 and ${worst.float64.toPrecision(2)} in float64`)
  if (wrong.length > 0) {
    console.error(wrong.join('\n'))
    process.exit(1)
  }
}

main()
