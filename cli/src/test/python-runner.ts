/**
 * Program for `python -c`: unittest over files by their paths, whatever their folders are called, with unittest's own options. The folder of
 * each file and the working directory can be imported from.
 */
export const PYTHON_RUNNER = `
import importlib.util, os, sys, unittest

class ByPath(unittest.TestLoader):
    def __init__(self, files):
        super().__init__()
        self.files = {os.path.normpath(file)[:-3].replace(os.sep, "."): file for file in files}

    def loadTestsFromName(self, name, module=None):
        file = self.files.get(name)
        if file is None:
            return super().loadTestsFromName(name, module)
        folder = os.path.dirname(os.path.abspath(file))
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(name, os.path.abspath(file))
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[name] = loaded
        try:
            spec.loader.exec_module(loaded)
        except Exception as error:
            # The other files are run all the same.
            return self.suiteClass([failed(file, error)])
        return self.loadTestsFromModule(loaded)

def failed(file, error):
    def load():
        raise error
    return unittest.FunctionTestCase(load, description=f"{file} cannot be imported")

border = sys.argv.index("--")
files = sys.argv[border + 1:]
unittest.main(module=None, argv=["treadle test", *sys.argv[1:border], *files], testLoader=ByPath(files))
`;
