package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// image is the image of one target: its manifest, and the blobs that this names.
type image struct {
	manifest v1.Descriptor
	blobs    []file
}

// image makes one layer with the programs, licences and an empty folder to work in.
func (r *release) image(p product) (image, error) {
	var im image
	var files []file
	for _, f := range p.files {
		files = append(files, file{"usr/bin/" + f.name, f.data, f.mode})
	}
	for _, d := range r.common.docs {
		files = append(files, file{"usr/share/doc/astrolabe/" + d.name, d.data, d.mode})
	}
	var plain bytes.Buffer
	if err := writeTar(&plain, files, r.when); err != nil {
		return im, err
	}
	layer := im.blob(v1.MediaTypeImageLayerGzip, gzipped(plain.Bytes()))
	when := r.when
	config, err := json.Marshal(v1.Image{Created: &when,
		Platform: v1.Platform{OS: p.os, Architecture: p.arch},
		Config: v1.ImageConfig{Entrypoint: []string{"/usr/bin/astrolabe"}, WorkingDir: "/work", Env: []string{"PATH=/usr/bin"},
			Labels: r.annotations()},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(plain.Bytes())}},
		History: []v1.History{{Created: &when, CreatedBy: ".ci/release"}}})
	if err != nil {
		return im, err
	}
	manifest, err := json.Marshal(v1.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest,
		Config: im.blob(v1.MediaTypeImageConfig, config), Layers: []v1.Descriptor{layer}, Annotations: r.annotations()})
	if err != nil {
		return im, err
	}
	im.manifest = im.blob(v1.MediaTypeImageManifest, manifest)
	im.manifest.Platform = &v1.Platform{OS: p.os, Architecture: p.arch}
	return im, nil
}

// annotations are the keys of the image specification that say what this is.
func (r *release) annotations() map[string]string {
	out := map[string]string{v1.AnnotationTitle: "astrolabe", v1.AnnotationVersion: r.version.String(),
		v1.AnnotationLicenses: "Apache-2.0", v1.AnnotationDescription: summary}
	if r.url != "" {
		out[v1.AnnotationURL] = r.url
	}
	return out
}

// blob keeps data under its digest.
func (im *image) blob(mediaType string, data []byte) v1.Descriptor {
	d := digest.FromBytes(data)
	im.blobs = append(im.blobs, file{fmt.Sprintf("blobs/%s/%s", d.Algorithm(), d.Encoded()), data, 0o644})
	return v1.Descriptor{MediaType: mediaType, Digest: d, Size: int64(len(data))}
}

// layout writes one OCI layout with the images of all processors, as a tar.
func (r *release) layout(images []image) error {
	var all image
	var manifests []v1.Descriptor
	for _, im := range images {
		manifests = append(manifests, im.manifest)
		all.blobs = append(all.blobs, im.blobs...)
	}
	index := v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: manifests,
		Annotations: r.annotations()}
	inner, err := json.Marshal(index)
	if err != nil {
		return err
	}
	top := all.blob(v1.MediaTypeImageIndex, inner)
	// podman and docker name an image by a whole reference; where there is only a tag podman takes that for the name. A tag has no plus.
	name := "localhost/astrolabe:" + strings.ReplaceAll(r.version.String(), "+", "_")
	top.Annotations = map[string]string{v1.AnnotationRefName: name, "io.containerd.image.name": name}
	outer, err := json.Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex,
		Manifests: []v1.Descriptor{top}})
	if err != nil {
		return err
	}
	version, err := json.Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
	if err != nil {
		return err
	}
	files := sorted(append(all.blobs, file{v1.ImageLayoutFile, version, fs.FileMode(0o644)}, file{v1.ImageIndexFile, outer, 0o644}))
	var out bytes.Buffer
	if err := writeTar(&out, files, r.when); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("astrolabe-%s-oci.tar", r.version), out.Bytes())
}
